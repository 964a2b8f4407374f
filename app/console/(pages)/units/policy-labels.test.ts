import { expect, test } from "vitest";

import { policySource, formatPolicyValue } from "./policy-labels.ts";

test.each([
  ["imapAllowed", true, undefined, "Allowed"],
  ["imapAllowed", false, undefined, "Not allowed"],
  ["quarantineDigest", "daily", undefined, "Daily"],
  ["quarantineRelease", "none", undefined, "Nothing"],
  ["passwordLengthMin", 16, undefined, "16 characters"],
  ["defaultQuotaMb", 2_048, undefined, "2 GB"],
  ["defaultQuotaMb", null, 10_240, "10 GB"],
  ["defaultQuotaMb", null, undefined, "Company default"],
] as const)("%s with the value %s", (name, value, defaultQuotaMb, text) => {
  expect(formatPolicyValue(name, value, defaultQuotaMb)).toBe(text);
});

test("policySource names the unit that sets the policy", () => {
  expect(policySource(null, 3)).toBe("Default");
  expect(policySource({ id: 3, name: "Sales" }, 3)).toBe("Set here");
  expect(policySource({ id: 2, name: "Sales" }, 3)).toBe("Inherited from Sales");
  expect(policySource({ id: null, name: "a unit above" }, null)).toBe(
    "Inherited from a unit above",
  );
});
