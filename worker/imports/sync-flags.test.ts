import { expect, test } from "vitest";

import { withoutSeen } from "./list-messages.ts";
import { planBatches } from "./import-messages.ts";
import { findFlagChanges } from "./sync-flags.ts";

test("finds what changed at the source since the last pass", () => {
  const imported = [
    { sourceUid: 1, targetUid: 11, flags: "" },
    { sourceUid: 2, targetUid: 12, flags: "Work \\Seen" },
    { sourceUid: 3, targetUid: 13, flags: "\\Seen" },
    { sourceUid: 4, targetUid: 14, flags: "" },
  ];
  const now = new Map([
    [1, "\\Seen"],
    [2, "\\Flagged \\Seen"],
    [3, "\\Seen"],
  ]);
  expect(findFlagChanges(imported, now)).toEqual([
    { flag: "\\Seen", isSet: true, targetUids: [11] },
    { flag: "\\Flagged", isSet: true, targetUids: [12] },
    { flag: "Work", isSet: false, targetUids: [12] },
  ]);
});

test("a batch has up to 100 messages and 4 MB, or one larger message", () => {
  const MB = 1024 * 1024;
  const sizes = (messages: { size: number }[]) =>
    planBatches(messages).map((batch) => batch.length);
  expect(sizes([])).toEqual([]);
  expect(sizes(Array.from({ length: 250 }, () => ({ size: 1_000 })))).toEqual([100, 100, 50]);
  expect(sizes([3, 1, 1, 50, 1].map((megabytes) => ({ size: megabytes * MB })))).toEqual([
    2, 1, 1, 1,
  ]);
});

test("of Gmail's All Mail, only messages without a label are left", () => {
  const message = (uid: number, emailId?: string) => ({
    uid,
    size: 1,
    flags: "",
    internalDate: undefined,
    emailId,
  });
  const all = [message(1, "a"), message(2, "b"), message(3)];
  expect(withoutSeen(all, new Set(["a"]))).toEqual([message(2, "b")]);
});
