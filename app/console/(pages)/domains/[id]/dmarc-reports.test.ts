import { expect, test } from "vitest";

import { dmarcAdvice, sendingService, sourceVerdict, withPolicy } from "./dmarc-reports.tsx";

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

const aSource = (counts: { passed: number; dkim: number; spf: number; host?: string }) => ({
  address: "192.0.2.1",
  host: counts.host ?? null,
  messages: 100,
  passed: counts.passed,
  dkimPassed: counts.dkim,
  spfPassed: counts.spf,
  quarantined: 0,
  rejected: 0,
  headerFrom: ["northwind.example"],
  reporters: ["google.com"],
});

test.each([
  [{ passed: 100, dkim: 100, spf: 100 }, "Authenticated"],
  [{ passed: 99, dkim: 99, spf: 2 }, "DKIM only"],
  [{ passed: 100, dkim: 0, spf: 100 }, "SPF only"],
  [{ passed: 60, dkim: 60, spf: 0 }, "Partially passing"],
  [{ passed: 0, dkim: 0, spf: 0, host: "o1.ptr.sendgrid.net" }, "Not set up"],
  [{ passed: 0, dkim: 0, spf: 0, host: "dsl-7.isp.example" }, "Unknown"],
])("%o is %s", (counts, word) => {
  expect(sourceVerdict(aSource(counts)).label).toBe(word);
});

test("recognizes a service by its domain, not by a part of a name", () => {
  expect(sendingService("mail-sor-f41.google.com.")).toBe("Google");
  expect(sendingService("google.com.evil.example")).toBeNull();
  expect(sendingService("notgoogle.com")).toBeNull();
  expect(sendingService(null)).toBeNull();
});
