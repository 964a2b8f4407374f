import { describe, expect, test } from "vitest";
import { z } from "zod";

import { tryParse } from "./parse.ts";
import { blankIsMissing, emptyIsNull, Password, trimmedText } from "./text-fields.ts";

const parse = (schema: z.ZodType, value: unknown) => {
  const read = tryParse(z.object({ field: schema }), { field: value }, ["missing_required_field"]);
  return "refusal" in read ? read.refusal.message : read.data.field;
};

describe("blankIsMissing", () => {
  test.each([undefined, null, "", " \t\r\n", "\u00a0"])("%j is missing", (value) => {
    expect(parse(blankIsMissing(z.string()), value)).toBe("Missing required field: field");
  });

  test("leaves all other values to the schema", () => {
    expect(parse(blankIsMissing(z.string()), " a ")).toBe(" a ");
    expect(parse(blankIsMissing(z.string()), 1)).toBe("field: must be a string, not a number");
    expect(parse(blankIsMissing(z.string().nullish()), " ")).toBeUndefined();
  });
});

describe("emptyIsNull", () => {
  test("only empty text is null", () => {
    const field = emptyIsNull(z.string().nullish());
    expect(parse(field, "")).toBeNull();
    expect(parse(field, " ")).toBe(" ");
    expect(parse(field, undefined)).toBeUndefined();
    expect(parse(field, 0)).toBe("field: must be a string, not a number");
  });
});

describe("trimmedText", () => {
  test("trims before it counts", () => {
    expect(parse(trimmedText(3), " abc ")).toBe("abc");
    expect(parse(trimmedText(3), "  ")).toBe("field: is required");
    expect(parse(trimmedText(3), "abcd")).toMatch(/<=3 characters/);
  });
});

test("a password keeps its white space", () => {
  expect(parse(Password, " ")).toBe(" ");
  expect(parse(Password, "")).toBe("field: is required");
});
