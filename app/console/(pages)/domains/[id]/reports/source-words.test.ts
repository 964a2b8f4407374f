import { expect, test } from "vitest";

import { serviceOf, verdictOf } from "./source-words.ts";

const aSource = (counts: { passed: number; dkim: number; spf: number; host?: string }) => ({
  address: "192.0.2.1",
  host: counts.host ?? null,
  messages: 100,
  passed: counts.passed,
  dkim_passed: counts.dkim,
  spf_passed: counts.spf,
  quarantined: 0,
  rejected: 0,
  header_from: ["northwind.example"],
  reporters: ["google.com"],
});

test.each([
  [{ passed: 100, dkim: 100, spf: 100 }, "Yours"],
  [{ passed: 99, dkim: 99, spf: 2 }, "Signed"],
  [{ passed: 100, dkim: 0, spf: 100 }, "Not signed"],
  [{ passed: 60, dkim: 60, spf: 0 }, "Passes in part"],
  [{ passed: 0, dkim: 0, spf: 0, host: "o1.ptr.sendgrid.net" }, "Not set up"],
  [{ passed: 0, dkim: 0, spf: 0, host: "dsl-7.isp.example" }, "Unknown"],
])("%o is called %s", (counts, word) => {
  expect(verdictOf(aSource(counts)).word).toBe(word);
});

test("a service is known by the end of a name, never by a part of one", () => {
  expect(serviceOf("mail-sor-f41.google.com.")).toBe("Google");
  expect(serviceOf("google.com.evil.example")).toBeNull();
  expect(serviceOf("notgoogle.com")).toBeNull();
  expect(serviceOf(null)).toBeNull();
});
