import { expect, test } from "vitest";

import { describeFinding } from "./describe-finding.ts";

test.each([
  ["R_SPF_FAIL", "SPF failed: the sender’s domain doesn’t allow this server to send"],
  ["CLAM_VIRUS", "A virus scanner flagged it"],
  ["CLAM_VIRUS_FAIL", null],
  ["The sender could not be verified", "The sender could not be verified"],
  ["SOME_RULE_OF_THE_OPERATORS", null],
])("%s", (finding, words) => {
  expect(describeFinding(finding)).toBe(words);
});
