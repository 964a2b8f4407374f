import fc from "fast-check";
import { expect, test } from "vitest";

import { parseJson } from "./parse-json.ts";

test.each([
  ["lists in each other", "[".repeat(3_000_000)],
  ["objects in each other", '{"a":'.repeat(100_000)],
  ["65 levels", "[".repeat(65) + "]".repeat(65)],
  ["empty lists", `[${"[],".repeat(1_000_000)}[]]`],
  ["objects", `[${'{"a":1},'.repeat(200_000)}1]`],
  ["members", `{${Array.from({ length: 200_000 }, (_, i) => `"${i}":1`).join()}}`],
  ["texts", `[${'"",'.repeat(1_000_000)}""]`],
  ["deep lists between texts", `["\\\\",${"[".repeat(100)}`],
])("rejects %s before parsing", (_, text) => {
  expect(() => parseJson(text)).toThrow(/^(is nested more than 64|has more than 200000)/);
});

test.each([
  ["brackets in texts", `["${"[".repeat(1_000)}","\\"${"{".repeat(1_000)}","\\\\"]`],
  ["the bytes of a file", `[${"80,".repeat(300_000)}75]`],
  ["64 levels", "[".repeat(64) + "]".repeat(64)],
])("accepts %s", (_, text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text));
});

test("reads the same as JSON.parse, and rejects the same", () => {
  const text = fc.oneof(
    fc.json({ maxDepth: 5 }),
    fc.string({ unit: fc.constantFrom(...Array.from('[]{}\\",:1e-')), maxLength: 60 }),
  );
  fc.assert(
    fc.property(text, (text) => {
      expect(resultOf(() => parseJson(text))).toEqual(resultOf(() => JSON.parse(text) as unknown));
    }),
  );
});

function resultOf(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return "not JSON";
  }
}
