import { expect, test } from "vitest";

import { findingInWords } from "./finding-words.ts";

test.each([
  ["R_SPF_FAIL", "The sender's domain does not let this server send"],
  ["CLAM_VIRUS", "A virus scanner found something in it"],
  ["CLAM_VIRUS_FAIL", null],
  ["Who wrote it could not be verified", "Who wrote it could not be verified"],
  ["SOME_RULE_OF_THE_OPERATORS", null],
])("%s", (finding, words) => {
  expect(findingInWords(finding)).toBe(words);
});
