import { expect, test } from "vitest";

import { codeInWords } from "./delivery-code.ts";

test.each([
  ["5.1.1", "The mailbox does not exist at example.net."],
  ["4.1.1", "The mailbox does not exist at example.net."],
  ["5.2.2", "The mailbox is full."],
  ["5.7.99", "example.net refused it for a reason of its policy."],
  ["4.0.0", "example.net could not take the message for now."],
  ["5.0.0", "example.net refused the message."],
  ["nonsense", "example.net refused the message."],
])("%s reads: %s", (code, words) => {
  expect(codeInWords(code, "example.net")).toBe(words);
});
