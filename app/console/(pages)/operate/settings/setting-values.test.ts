import { expect, test } from "vitest";

import { formatSetting, groupSettings, settingChoices, settingEffect } from "./setting-values.ts";

const none = { over: [], overCount: 0, deletes: null };

test.each([
  ["region", none, null],
  ["keep_emails_days", { ...none, deletes: 0 }, null],
  [
    "keep_emails_days",
    { ...none, deletes: 1_200 },
    "The next cleanup will delete 1,200 emails for good.",
  ],
  [
    "keep_audit_days",
    { ...none, deletes: 2 },
    "The next cleanup will delete 2 audit entries for good.",
  ],
  [
    "hourly_recipients_company",
    { ...none, overCount: 3 },
    "This lowers the limit of 3 companies below what they use today.",
  ],
  [
    "scheduled_backlog",
    { ...none, overCount: 1 },
    "This lowers the limit of 1 company below what it uses today.",
  ],
  [
    "hourly_recipients_mailbox",
    { ...none, overCount: 2 },
    "This lowers the limit below what mailboxes of 2 companies sent in the last hour.",
  ],
  [
    "outgoing_scan_minimum",
    { ...none, overCount: 2 },
    "2 companies now do less about outgoing spam than the new minimum, which will apply to them immediately.",
  ],
])("says what a changed %s does", (name, preview, text) => {
  expect(settingEffect({ ...preview, name } as Parameters<typeof settingEffect>[0])).toBe(text);
});

const aSetting = {
  name: "keep_audit_days",
  group: "Data retention",
  kind: "number",
  label: "Keep the audit log",
  unit: "days",
  help: null,
  names: { 0: "Forever" },
  default: 0,
  min: 0,
  max: 36_500,
  value: 0,
  obstacle: null,
  changedAt: null,
} as const;
const anHour = { ...aSetting, unit: "hour in UTC", names: { 24: "Never" }, max: 24 } as const;

test.each([
  [aSetting, 0, "Forever"],
  [aSetting, "1400", "1,400 days"],
  [aSetting, "many", "many days"],
  [anHour, 6, "06:00 UTC"],
  [anHour, 24, "Never"],
  [{ ...aSetting, unit: null, names: {}, kind: "text" } as const, "eu-central", "eu-central"],
])("formats values with units and names: %#", (setting, value, text) => {
  expect(formatSetting(setting, value)).toBe(text);
});

test("hours of the day are chosen, other numbers typed", () => {
  expect(settingChoices(aSetting)).toBeNull();
  expect(settingChoices(anHour)?.at(-2)).toEqual({ value: "23", label: "23:00 UTC" });
  expect(settingChoices(anHour)?.at(-1)).toEqual({ value: "24", label: "Never" });
});

test("a search finds settings by label, group, unit and name, and keeps those that must be shown", () => {
  const backup = { ...aSetting, name: "backup_hour", group: "Backups", label: "Start at" } as const;
  const found = (search: string, kept = "") =>
    groupSettings([aSetting, backup], search, (name) => name === kept).flatMap(([, settings]) =>
      settings.map(({ name }) => name),
    );
  expect(found("")).toEqual(["keep_audit_days", "backup_hour"]);
  expect(found("log Audit")).toEqual(["keep_audit_days"]);
  expect(found("backups")).toEqual(["backup_hour"]);
  expect(found("backup_ho")).toEqual(["backup_hour"]);
  expect(found("audit", "backup_hour")).toEqual(["keep_audit_days", "backup_hour"]);
  expect(found("nothing")).toEqual([]);
});
