import { expect, test } from "vitest";

import { policySource, policyValue } from "./policy-words.ts";

test.each([
  ["imap_allowed", true, undefined, "Allowed"],
  ["imap_allowed", false, undefined, "Not allowed"],
  ["password_length_min", 16, undefined, "16 characters"],
  ["default_quota_mb", 2_048, undefined, "2 GB"],
  ["default_quota_mb", null, 10_240, "10 GB"],
  ["default_quota_mb", null, undefined, "The company's size"],
] as const)("%s of %s reads as a person says it", (name, value, usual, words) => {
  expect(policyValue(name, value, usual)).toBe(words);
});

test("a policy says where it comes from", () => {
  expect(policySource(null, 3)).toBe("Default");
  expect(policySource({ id: 3, name: "Sales" }, 3)).toBe("Set here");
  expect(policySource({ id: 2, name: "Sales" }, 3)).toBe("From Sales");
  expect(policySource({ id: null, name: "a unit above" }, null)).toBe("From a unit above");
});
