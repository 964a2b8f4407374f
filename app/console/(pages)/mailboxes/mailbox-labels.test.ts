import { expect, test } from "vitest";

import { usageRatio, usageTone, mailboxUrl, parseSizeMb, mailboxStatus } from "./mailbox-labels.ts";

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
  const full = { used_bytes: 104_857_600, quota_mb: 100 };
  const all = { active: false, sending_held: true, password_change_due: true, ...full };
  expect(mailboxStatus(all).label).toBe("Suspended");
  expect(mailboxStatus({ ...all, active: true }).label).toBe("On hold");
  const used = { ...all, active: true, sending_held: false };
  expect(mailboxStatus(used).label).toBe("Full");
  expect(mailboxStatus({ ...used, used_bytes: 1 }).label).toBe("Password change required");
});

test("usageTone warns at 90% and fails at 100%", () => {
  const at = (bytes: number) => usageTone(usageRatio({ used_bytes: bytes, quota_mb: 100 }));
  expect([at(0), at(89 * 1_048_576), at(90 * 1_048_576), at(100 * 1_048_576)]).toEqual([
    ...["info", "info", "waiting", "failed"],
  ]);
});

test("mailboxUrl encodes the address", () => {
  expect(mailboxUrl("ann+x@example.com")).toBe("/console/mailboxes/ann%2Bx%40example.com");
});
