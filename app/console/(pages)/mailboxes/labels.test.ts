import { expect, test } from "vitest";

import { mailboxStatus, mailboxUrl, parseSizeMb, usageRatio, usageTone } from "./labels.ts";

test.each([
  ["", undefined],
  ["  ", undefined],
  [" 512 ", 512],
  ["2048", 2048],
  ["2,048", 2048],
  ["51 200", 51_200],
  ["-512", 0],
  ["1.5", 0],
  ["2,5", 0],
  ["512 MB", 512],
  ["10 GB", 10_240],
  ["1.5gb", 1536],
  ["2,5 GB", 0],
  ["5 TB", 0],
])("parses %j as %s MB", (text, size) => {
  expect(parseSizeMb(text)).toBe(size);
});

test("suspension takes precedence over every other status", () => {
  const full = { usedBytes: 104_857_600, quotaMb: 100 };
  const all = { active: false, sendingHeld: true, passwordChangeDue: true, ...full };
  expect(mailboxStatus(all).label).toBe("Suspended");
  expect(mailboxStatus({ ...all, active: true }).label).toBe("On hold");
  const used = { ...all, active: true, sendingHeld: false };
  expect(mailboxStatus(used).label).toBe("Full");
  expect(mailboxStatus({ ...used, usedBytes: 1 }).label).toBe("Password change required");
});

test("usageTone warns at 90% and fails at 100%", () => {
  const at = (bytes: number) => usageTone(usageRatio({ usedBytes: bytes, quotaMb: 100 }));
  expect([at(0), at(89 * 1_048_576), at(90 * 1_048_576), at(100 * 1_048_576)]).toEqual([
    "info",
    "info",
    "waiting",
    "failed",
  ]);
});

test("mailboxUrl encodes the address", () => {
  expect(mailboxUrl("ann+x@example.com")).toBe("/console/mailboxes/ann%2Bx%40example.com");
});
