import { expect, test } from "vitest";

import { quotedStrings } from "./zone-file.ts";

test.each([
  ["v=spf1 ~all", `"v=spf1 ~all"`],
  ["x".repeat(300), `"${"x".repeat(255)}" "${"x".repeat(45)}"`],
  [`say "no" \\`, `"say \\"no\\" \\\\"`],
  // Would start a new line.
  ['v=spf1\nevil. IN A 192.0.2.1\n" ~all', `"v=spf1\\010evil. IN A 192.0.2.1\\010\\" ~all"`],
  ["\xff\x7f\0\ufffd", `"\\255\\127\\000\\239\\191\\189"`],
])("writes the value %j to a zone file", (value, expected) => {
  expect(quotedStrings(value)).toBe(expected);
});
