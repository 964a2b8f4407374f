import { expect, test } from "vitest";

import { adviceOf, withPolicy } from "./dmarc-advice.ts";

test.each([
  ["none", 1000, 990, "You can go on to quarantine", "quarantine"],
  [null, 1000, 1000, "You can go on to quarantine", "quarantine"],
  ["quarantine", 1000, 990, "You can go on to reject", "reject"],
  ["reject", 1000, 990, "Your domain is protected", undefined],
  ["none", 1000, 900, "Find your senders first", undefined],
  ["quarantine", 1000, 900, "Find your senders first", undefined],
  ["reject", 1000, 900, "Some mail in your name is refused", undefined],
  ["none", 99, 99, "Wait for more reports", undefined],
] as const)(
  "policy %s with %d messages, %d passed: %s",
  (policy, messages, passed, title, next) => {
    const advice = adviceOf({ policy, messages, passed });
    expect(advice.title).toBe(title);
    expect(advice.policy).toBe(next);
  },
);

test("only the policy of a record changes", () => {
  expect(withPolicy("v=DMARC1; p=none; sp=none; rua=mailto:a@b.example", "quarantine")).toBe(
    "v=DMARC1; p=quarantine; sp=none; rua=mailto:a@b.example",
  );
  expect(withPolicy("v=DMARC1;p = none", "reject")).toBe("v=DMARC1;p=reject");
});
