import { expect, test } from "vitest";

import { formatMasked, maskJson, maskText } from "./masked-body.ts";

test("masks content and secrets, and keeps names, lengths, and the fields that explain errors", () => {
  const masked = maskJson({
    from: "Shop <shop@example.com>",
    to: ["ann@example.org", 7],
    subject: "Your order",
    html: "<p>secret</p>",
    headers: { Authorization: "Bearer abc", "X-Id": "1" },
    tags: [{ name: "kind", value: "order" }],
    attachments: [
      { filename: "a.pdf", content: "aGVsbG8=" },
      { filename: "b.bin", content: [1, 2, 3] },
      { filename: "c.bin", content: new Uint8Array(5) },
    ],
    template: { id: "welcome", variables: { name: "Ann", code: 123456, deep: { to: "x" } } },
    password: "hunter2",
    pin: 1234,
    active: true,
    quota_mb: 512,
    unknown: null,
  });

  expect(masked).toEqual({
    from: "Shop <shop@example.com>",
    to: ["ann@example.org", 7],
    subject: "Your order",
    html: "[13 characters]",
    headers: { Authorization: "[10 characters]", "X-Id": "[1 character]" },
    tags: [{ name: "kind", value: "order" }],
    attachments: [
      { filename: "a.pdf", content: "[8 characters]" },
      { filename: "b.bin", content: ["[3 numbers]"] },
      { filename: "c.bin", content: "[5 bytes]" },
    ],
    template: {
      id: "welcome",
      variables: { name: "[3 characters]", code: "[number]", deep: { to: "[1 character]" } },
    },
    password: "[7 characters]",
    pin: "[number]",
    active: true,
    quota_mb: 512,
    unknown: null,
  });
});

test.each([
  ["a text", "sesame", "[6 characters]"],
  ["a list of texts", ["sesame"], ["[6 characters]"]],
  ["null", null, null],
  ["a field named like a method of objects", JSON.parse('{"__proto__":"x"}'), undefined],
])("masks a body that is %s", (_, body, expected) => {
  const masked = maskJson(body);
  if (expected !== undefined) expect(masked).toEqual(expected);
  expect(formatMasked(masked)).not.toMatch(/sesame|"x"/);
});

test("shortens long texts, lists, and bodies with many or deeply nested values", () => {
  expect(maskJson({ subject: "s".repeat(1_000) })).toEqual({
    subject: `${"s".repeat(300)}… [1,000 characters]`,
  });
  const { to } = maskJson({ to: Array.from({ length: 50 }, (_, i) => `${i}@example.org`) }) as {
    to: string[];
  };
  expect(to).toHaveLength(21);
  expect(to.at(-1)).toBe("[30 more]");

  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, "x"]));
  expect(Object.keys(maskJson(wide) as object).length).toBeLessThan(500);
  let deep: unknown = "x";
  for (let i = 0; i < 5_000; i++) deep = { a: deep };
  expect(formatMasked(maskJson(deep)).length).toBeLessThan(500);
  expect(formatMasked("x".repeat(20_000))).toHaveLength(8_001);
});

test("masks letters and digits of a body that isn't JSON, and keeps its syntax", () => {
  expect(maskText(Buffer.from('{"to": "änn@example.org",}'))).toBe('{"xx": "xxx@xxxxxxx.xxx",}');
  expect(maskText(Buffer.alloc(9_000, "a"))).toBe(`${"x".repeat(2_000)}…`);
});
