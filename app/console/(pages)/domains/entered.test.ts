import { expect, test } from "vitest";

import { enteredHost, enteredValue } from "./entered.ts";

const aProvider = (overrides: object) => ({
  ...{ id: "x", name: "X", url: "https://x.example", steps: [], apex: "@" },
  ...{ takes_full_names: false, wants_quotes: false, wants_final_dot: false },
  ...overrides,
});
const spf = { type: "TXT", name: "a.example", host: "@", value: "v=spf1 ~all" } as const;
const mx = { type: "MX", name: "m.a.example", host: "m", value: "mx.example.net" } as const;

test("hosts are entered as the provider takes them", () => {
  expect(enteredHost(spf, null)).toBe("@");
  expect(enteredHost(spf, aProvider({ apex: "" }))).toBe("");
  expect(enteredHost(spf, aProvider({ takes_full_names: true }))).toBe("a.example");
  expect(enteredHost(mx, aProvider({ apex: "" }))).toBe("m");
});

test("values are entered with the quotes and dots that the provider wants, and only there", () => {
  expect(enteredValue(spf, null)).toBe("v=spf1 ~all");
  expect(enteredValue(spf, aProvider({ wants_quotes: true }))).toBe('"v=spf1 ~all"');
  expect(enteredValue(mx, aProvider({ wants_quotes: true }))).toBe("mx.example.net");
  expect(enteredValue(mx, aProvider({ wants_final_dot: true }))).toBe("mx.example.net.");
  expect(enteredValue(spf, aProvider({ wants_final_dot: true }))).toBe("v=spf1 ~all");
  const long = { ...spf, value: "p".repeat(300) };
  expect(enteredValue(long, aProvider({ wants_quotes: true }))).toBe(
    `"${"p".repeat(255)}" "${"p".repeat(45)}"`,
  );
});
