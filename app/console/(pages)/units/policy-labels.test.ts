import { expect, test } from "vitest";

import { policySource, formatPolicyValue } from "./policy-labels.ts";

test.each([
  ["imap_allowed", true, undefined, "Allowed"],
  ["imap_allowed", false, undefined, "Not allowed"],
  ["quarantine_digest", "daily", undefined, "Daily"],
  ["quarantine_release", "none", undefined, "Nothing"],
  ["password_length_min", 16, undefined, "16 characters"],
  ["default_quota_mb", 2_048, undefined, "2 GB"],
  ["default_quota_mb", null, 10_240, "10 GB"],
  ["default_quota_mb", null, undefined, "Company default"],
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
