import { expect, test } from "vitest";

import { hostField, valueField } from "./provider-fields.ts";

const aProvider = (overrides: object) => ({
  id: "x",
  name: "X",
  url: "https://x.example",
  steps: [],
  apex: "@",
  fields: { host: "Name", value: "Value" },
  takesFullNames: false,
  wantsQuotes: false,
  wantsFinalDot: false,
  ...overrides,
});
const spf = { type: "TXT", name: "a.example", host: "@", value: "v=spf1 ~all" } as const;
const mx = { type: "MX", name: "m.a.example", host: "m", value: "mx.example.net" } as const;

test("formats hosts for the provider", () => {
  expect(hostField(spf, null)).toBe("@");
  expect(hostField(spf, aProvider({ apex: "" }))).toBe("");
  expect(hostField(spf, aProvider({ takesFullNames: true }))).toBe("a.example");
  expect(hostField(mx, aProvider({ apex: "" }))).toBe("m");
});

test("adds quotes and final dots only for providers that need them", () => {
  expect(valueField(spf, null)).toBe("v=spf1 ~all");
  expect(valueField(spf, aProvider({ wantsQuotes: true }))).toBe('"v=spf1 ~all"');
  expect(valueField(mx, aProvider({ wantsQuotes: true }))).toBe("mx.example.net");
  expect(valueField(mx, aProvider({ wantsFinalDot: true }))).toBe("mx.example.net.");
  expect(valueField(spf, aProvider({ wantsFinalDot: true }))).toBe("v=spf1 ~all");
  const long = { ...spf, value: "p".repeat(300) };
  expect(valueField(long, aProvider({ wantsQuotes: true }))).toBe(
    `"${"p".repeat(255)}" "${"p".repeat(45)}"`,
  );
});
