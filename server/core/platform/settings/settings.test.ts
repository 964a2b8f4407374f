import { readFileSync } from "node:fs";

import { expect, test, vi } from "vitest";

import { settings } from "#drizzle/schema/index.ts";
import { db, pool } from "#server/db/pool.ts";

import { changeSetting } from "./change-setting.ts";
import { currentSettings, followSettings, readSettings } from "./read-settings.ts";
import type { Setting } from "./setting-kinds.ts";
import { describeSetting, type SettingName, SETTINGS } from "./settings.ts";

test("uses the documented limits by default", async () => {
  await db().delete(settings);
  expect(await readSettings(db())).toEqual({
    request_rate_per_second: 10,
    requests_in_progress: 25,
    full_text_search: "off",
    log_request_bodies: "on",
    hourly_recipients_company: 450,
    hourly_recipients_platform: 1800,
    scheduled_backlog: 20000,
    test_events_waiting: 5,
    hourly_recipients_mailbox: 300,
    guard_new_recipients: 50,
    spam_junk_score: 6,
    spam_quarantine_score: 10,
    spam_reject_score: 15,
    outgoing_spam_score: 15,
    outgoing_scan_minimum: "off",
    calendar_limit_mb: 200,
    console_idle_minutes: 720,
    operator_second_factor: "optional",
    rspamd_url: "http://127.0.0.1:11333",
    dnsbl_zones: "none",
    arc_trusted_sealers: "none",
    tls_reports: "on",
    dmarc_reports: "on",
    alarm_email: "operators",
    alarm_webhook_url: "none",
    alarm_ntfy_url: "none",
    alarm_slack_url: "none",
    daily_summary_hour: 6,
    quarantine_digest_hour: 6,
    keep_emails_days: 0,
    keep_suppressions_days: 0,
    keep_audit_days: 0,
    keep_contacts_days: 0,
    keep_deleted_days: 20,
    keep_received_days: 30,
    received_storage_mb: 1_024,
    received_per_minute: 600,
    backup_to: "local",
    backup_hour: 2,
    backup_every_hours: 24,
    backup_changes_minutes: 5,
    backup_keep_daily: 7,
    backup_keep_weekly: 4,
    backup_keep_monthly: 12,
    retry_hours_email: 48,
    retry_hours_mailbox: 120,
    mail_providers: "none",
    warm_up: "auto",
    warm_up_first_day: 200,
    warm_up_domains: "none",
    outbound_names: "none",
    region: "eu-central",
  });
});

test.each([
  ["alarm_email", "ann@example.com,bob@example.com", "ann@example.com, bob"],
  ["alarm_email", "off", 'a"b@example.com'],
  ["alarm_ntfy_url", "https://ntfy.sh/topic", "ntfy.sh/topic"],
  ["daily_summary_hour", "24", "25"],
  ["console_idle_minutes", "15", "4"],
  ["operator_second_factor", "required", "on"],
  ["arc_trusted_sealers", "list.test,google.com", "list.test google.com"],
  ["outgoing_scan_minimum", "hold", "quarantine"],
  ["outbound_names", "a.test=mail2.a.test,0199-4f=mail3.a.test", "mail2.a.test"],
  ["warm_up", "2026-12-31", "2026-13-01"],
  ["mail_providers", "mx.a.test=a,b.test=b", "mx.a.test"],
])("%s takes %s, but not %s", async (name, good, bad) => {
  await changeSetting(db(), name, good);
  await expect(changeSetting(db(), name, bad)).rejects.toThrow(`${name} must be`);
  await db().delete(settings);
});

test("outbound_names takes only names of this host's addresses, if it has any", async () => {
  const source = (name: string) => ({ name, ipv4: "192.0.2.1", ipv6: null });
  const home = { outboundSources: [source("mail.here.test"), source("mail2.here.test")] };
  const set = (value: string, here = home) => changeSetting(db(), "outbound_names", value, here);
  await expect(set("a.test=mail2.here.test,b.test=mail3.here.test")).rejects.toThrow(
    "outbound_names must use names from POSTHOUSE_OUTBOUND_ADDRESSES (mail.here.test, mail2.here.test), not mail3.here.test",
  );
  await set("a.test=mail2.here.test");
  await set("none");
  await set("b.test=mail3.here.test", { outboundSources: [] });
  await db().delete(settings);
});

test("applies changes immediately in this process", async () => {
  await currentSettings(db());
  await changeSetting(db(), "request_rate_per_second", "50");
  expect(await currentSettings(db())).toMatchObject({ request_rate_per_second: 50 });
  await changeSetting(db(), "request_rate_per_second", " 60 ");
  await changeSetting(db(), "region", "us-east");
  expect(await readSettings(db())).toMatchObject({
    request_rate_per_second: 60,
    region: "us-east",
  });
});

test.each(
  Object.entries(SETTINGS).flatMap(([name, setting]) =>
    setting.kind === "number"
      ? [String(setting.min - 1), String(setting.max + 1), "1.5", "-1", "many", ""].map(
          (value): [string, string] => [name, value],
        )
      : ["", "EU", "toString", "eu central", "-eu"].map((value): [string, string] => [name, value]),
  ),
)("%s rejects %j and keeps its value", async (name, value) => {
  const before = await readSettings(db());
  await expect(changeSetting(db(), name, value)).rejects.toMatchObject({ reason: "invalid" });
  expect(await readSettings(db())).toEqual(before);
});

test.each([
  ["rspamd_url", "127.0.0.1", "rspamd_url must be own, off, or a URL without a path"],
  [
    "dnsbl_zones",
    "zen spamhaus",
    "dnsbl_zones must be none, or lowercase domain names separated by commas",
  ],
  [
    "backup_to",
    "https://ann:secret@backup.example/",
    "backup_to must be local, off, an absolute path",
  ],
  ["region", "EU", "region must be 1 to 63 lowercase letters, digits, and hyphens"],
])("the error for %s %j names what the setting accepts", async (name, value, message) => {
  await expect(changeSetting(db(), name, value)).rejects.toThrow(message);
});

test("a setting changed back to its default follows the default of later versions", async () => {
  await db().delete(settings);
  await changeSetting(db(), "region", "us-east");
  await changeSetting(db(), "region", "eu-central");
  expect(await db().$count(settings)).toBe(0);
});

/** The tables of docs/settings.md, without the spaces that align them. */
function documentedTables(): string[] {
  const groups = Map.groupBy(Object.entries<Setting>(SETTINGS), ([, { group }]) => group);
  return [...groups].flatMap(([group, settings]) => [
    `### ${group}`,
    ...settings.map(([name, { default: value }]) => {
      const standard = typeof value === "number" ? value.toLocaleString("en-US") : `\`${value}\``;
      return `| \`${name}\` | ${standard} | ${describeSetting(name as SettingName)} |`;
    }),
  ]);
}

test("docs/settings.md lists every setting", () => {
  const lines = readFileSync("docs/settings.md", "utf8")
    .split("\n")
    .map((line) => line.replaceAll(/ +/g, " "));
  const missing = documentedTables().filter((line) => !lines.includes(line));
  expect(missing.join("\n")).toBe("");
});

test("rejects an unknown name and lists the valid ones", async () => {
  for (const name of ["speed", "toString", ""])
    await expect(changeSetting(db(), name, "1")).rejects.toThrow(/request_rate_per_second, /);
});

test("a change by another process applies immediately", async () => {
  const seen: unknown[] = [];
  await followSettings(pool().sql, () => {
    void currentSettings(db()).then(({ warm_up }) => seen.push(warm_up));
  });
  await vi.waitFor(() => expect(seen).toEqual(["auto"]));
  // Committed after this process's cache was cleared, as by another process.
  await db().transaction((tx) => changeSetting(tx, "warm_up", "off"));
  await vi.waitFor(() => expect(seen.at(-1)).toBe("off"), { timeout: 1_000 });
});
