import { expect, test } from "vitest";

import { formatPolicyValue, policyChanges, policySource } from "./policies.ts";

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

const above = { value: true, from: null };
const policy = { own: null, value: true, above, appliesTo: 308, usedThisWeek: null } as const;
const imap = { ...policy, name: "imapAllowed" as const, usedThisWeek: 212 };

const length = {
  ...policy,
  name: "passwordLengthMin" as const,
  own: 14,
  value: 14,
  above: { value: 12, from: null },
};

const texts = (...args: Parameters<typeof policyChanges>) =>
  policyChanges(...args).map(({ text }) => text);

test.each([
  [imap, false, "Block IMAP for 308 mailboxes, 212 used it this week"],
  [{ ...imap, usedThisWeek: 0 }, false, "Block IMAP for 308 mailboxes, none used it this week"],
  [{ ...imap, usedThisWeek: 308 }, false, "Block IMAP for 308 mailboxes, all used it this week"],
  [{ ...imap, value: false, own: false }, null, "Allow IMAP for 308 mailboxes"],
  [imap, true, "IMAP access stays the same for 308 mailboxes (allowed)"],
  [
    { ...policy, name: "outsideAllowed" as const, appliesTo: 1 },
    ...([false, "Block sending outside your company for 1 mailbox"] as const),
  ],
  [length, 18, "Require passwords of 18 characters for 308 mailboxes"],
  [length, null, "Require passwords of 12 characters for 308 mailboxes"],
  [
    { ...policy, name: "defaultQuotaMb" as const, value: 2048, own: 2048 },
    ...([1024, "Give new mailboxes 1 GB"] as const),
  ],
  [length, 0, "Change minimum password length"],
])("a change says what it does and to how many (%#)", (policy, value, text) => {
  expect(texts([policy], { [policy.name]: value }, 5120)).toEqual([text]);
});

test("only policies whose own value changes are changes", () => {
  expect(texts([imap, length], { imapAllowed: null, passwordLengthMin: 14 }, 5120)).toEqual([]);
  expect(texts([imap, length], { imapAllowed: false, passwordLengthMin: 20 }, 5120)).toHaveLength(
    2,
  );
});
