import { expect, test } from "vitest";

import { withCrlf } from "./commands.ts";

test.each([
  ["a\r\nb\r\n", "a\r\nb\r\n"],
  ["a\nb\r\n\nc", "a\r\nb\r\n\r\nc"],
  ["\n\n.\n", "\r\n\r\n.\r\n"],
  ["a\rb\n", "a\rb\r\n"],
  ["", ""],
])("%j becomes %j", (message, expected) => {
  expect(withCrlf(Buffer.from(message), 100)?.toString()).toBe(expected);
});

test("is null if the result is larger than allowed", () => {
  expect(withCrlf(Buffer.from("\n\n\n"), 5)).toBeNull();
  expect(withCrlf(Buffer.from("\n\n\n"), 6)?.length).toBe(6);
});
