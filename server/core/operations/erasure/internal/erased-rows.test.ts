import { expect, test } from "vitest";

import { personPattern } from "./erased-rows.ts";

// cspell:ignore Bnews bnews

const finds = (text: string, address = "ann+news@example.com") =>
  new RegExp(personPattern(address), "i").test(text);

test.each([
  "ann+news@example.com",
  "Ann <ANN+News@Example.com>",
  "/suppressions/ann+news@example.com",
  "/suppressions/ann+news%40example.com",
  "/suppressions/ann%2Bnews%40example.com",
  "/suppressions/ann%2bnews%40example.com.",
])("finds the address in %s", (text) => {
  expect(finds(text)).toBe(true);
});

test.each([
  "joann+news@example.com",
  "jo%2Bann+news@example.com",
  "ann+news@example.com.test",
  "ann+news@example.community",
  "annnews@example.com",
  "ann+news@example-com",
])("doesn't find it in %s", (text) => {
  expect(finds(text)).toBe(false);
});

test.each([
  "/suppressions/%22a%2Cb%22%40example.com",
  '{"to":"\\"A,b\\"@example.com"}',
  '"a,b"@example.com',
])("finds a quoted address in %s", (text) => {
  expect(finds(text, '"a,b"@example.com')).toBe(true);
});

test("finds an address with other characters that paths encode", () => {
  expect(finds("/a/j%C3%BCrgen%2Fx%40example.com", "jürgen/x@example.com")).toBe(true);
});
