import { expect, test } from "vitest";

import { sendingService, sourceVerdict } from "./source-verdict.ts";

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
