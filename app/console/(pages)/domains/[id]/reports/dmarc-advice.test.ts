import { expect, test } from "vitest";

import { dmarcAdvice, withPolicy } from "./dmarc-advice.ts";

test.each([
  ["none", 1000, 990, "Switch to quarantine", "quarantine"],
  [null, 1000, 1000, "Switch to quarantine", "quarantine"],
  ["quarantine", 1000, 990, "Switch to reject", "reject"],
  ["reject", 1000, 990, "Your domain is protected", undefined],
  ["none", 1000, 900, "Set up all your senders first", undefined],
  ["quarantine", 1000, 900, "Set up all your senders first", undefined],
  ["reject", 1000, 900, "Some mail from your domain is rejected", undefined],
  ["none", 99, 99, "Wait for more reports", undefined],
] as const)(
  "policy %s with %d messages, %d passed: %s",
  (policy, messages, passed, title, next) => {
    const advice = dmarcAdvice({ policy, messages, passed });
    expect(advice.title).toBe(title);
    expect(advice.policy).toBe(next);
  },
);

test("changes only the policy of a record", () => {
  expect(withPolicy("v=DMARC1; p=none; sp=none; rua=mailto:a@b.example", "quarantine")).toBe(
    "v=DMARC1; p=quarantine; sp=none; rua=mailto:a@b.example",
  );
  expect(withPolicy("v=DMARC1;p = none", "reject")).toBe("v=DMARC1;p=reject");
});
