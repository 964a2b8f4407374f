import {
  DELIVERY_SETTINGS,
  RECEIVING_SETTINGS,
  SENDING_SETTINGS,
  SPAM_SETTINGS,
} from "./mail-settings.ts";
import { choice, HOUR_UTC, inGroup, number, onOff, type Setting, text } from "./setting-kinds.ts";

const ALARM_URL = {
  default: "none",
  // Rejects a masked URL (`maskSetting`).
  pattern: /^(none|https?:\/\/[^\s…]+)$/,
  isSecretUrl: true,
  names: { none: "None" },
} as const;

const KEEP_FOREVER = {
  unit: "days",
  default: 0,
  min: 0,
  max: 36_500,
  names: { 0: "Forever" },
} as const;

/** All run-time settings, in the order in which they are shown. The defaults are the limits that the API documents. */
export const SETTINGS = {
  ...inGroup("API", {
    request_rate_per_second: number({
      label: "API requests per company",
      unit: "per second",
      default: 10,
      min: 1,
      max: 10_000,
    }),
    requests_in_progress: number({
      label: "Concurrent API requests per company",
      default: 25,
      min: 1,
      max: 10_000,
    }),
    test_events_waiting: number({
      label: "Pending test events per webhook",
      default: 5,
      min: 1,
      max: 1_000,
    }),
    log_request_bodies: onOff({
      label: "Store API request bodies",
      help: "Logs shows them for 24 hours, for the last 100 requests of each API key, with content and secrets masked. Companies can turn this off.",
      default: "on",
    }),
    region: text({
      label: "Region shown for every domain",
      default: "eu-central",
      expected: "1 to 63 lowercase letters, digits, and hyphens, and not start with a hyphen",
      pattern: /^[a-z0-9][a-z0-9-]{0,62}$/,
    }),
  }),
  ...SENDING_SETTINGS,
  ...DELIVERY_SETTINGS,
  ...RECEIVING_SETTINGS,
  ...SPAM_SETTINGS,
  ...inGroup("Mailboxes and sign-in", {
    full_text_search: onOff({
      label: "Full-text search in mail apps",
      help: "Indexes mailboxes, so that searches are fast. A unit’s policy can turn it off. Searches then match only the start of words (“key” finds “keyboard”, “board” doesn’t), and several words match in any order, not as a phrase. Indexes can take as much disk space as the text of the mail.",
      default: "off",
    }),
    calendar_limit_mb: number({
      label: "Calendars and contacts per mailbox",
      unit: "MB",
      help: "Disk space per mailbox. Each event or contact uses at least 4 kB. Doesn’t count toward the mailbox’s storage limit.",
      default: 200,
      min: 1,
      max: 102_400,
    }),
    quarantine_digest_hour: number({
      label: "Send quarantine digests at",
      unit: HOUR_UTC,
      help: "For units whose policy turns them on.",
      default: 6,
      min: 0,
      max: 23,
    }),
    console_idle_minutes: number({
      label: "Sign out of the console after",
      unit: "minutes without activity",
      default: 720,
      min: 5,
      max: 20_160,
    }),
    operator_second_factor: choice({
      label: "Second factor for operators",
      help: "If required, operators without one must set it up first.",
      default: "optional",
      names: { optional: "Required if their company requires it", required: "Required" },
    }),
  }),
  ...inGroup("Alarms", {
    alarm_email: text({
      label: "Email alarms and the daily summary to",
      help: "Separate addresses with commas.",
      default: "operators",
      expected: "operators, off, or email addresses separated by commas",
      pattern: /^(operators|off|[^\s@,"\\{}]+@[a-z0-9.-]+(,[^\s@,"\\{}]+@[a-z0-9.-]+)*)$/i,
      names: { operators: "All operators", off: "Off" },
    }),
    daily_summary_hour: number({
      label: "Send the daily summary at",
      unit: HOUR_UTC,
      default: 6,
      min: 0,
      max: 24,
      names: { 24: "Never" },
    }),
    alarm_slack_url: text({
      ...ALARM_URL,
      label: "Alarms to Slack, Mattermost or Rocket.Chat",
      help: "The URL of an incoming webhook.",
      expected: "none, or the URL of an incoming webhook",
    }),
    alarm_ntfy_url: text({
      ...ALARM_URL,
      label: "Alarms to an ntfy topic",
      help: "For example, https://ntfy.sh/my-topic.",
      expected: "none, or the URL of an ntfy topic",
    }),
    alarm_webhook_url: text({
      ...ALARM_URL,
      label: "Alarms to a webhook",
      help: "Alarms are posted to this URL as JSON.",
      expected: "none, or an http or https URL",
    }),
  }),
  ...inGroup("Data retention", {
    keep_emails_days: number({ ...KEEP_FOREVER, label: "Keep emails and their history" }),
    keep_suppressions_days: number({
      ...KEEP_FOREVER,
      label: "Suppress addresses that bounced",
      help: "Complaints stay suppressed.",
    }),
    keep_audit_days: number({ ...KEEP_FOREVER, label: "Keep the audit log" }),
    keep_contacts_days: number({
      ...KEEP_FOREVER,
      label: "Remember who a mailbox has written to",
    }),
    keep_deleted_days: number({
      label: "Keep deleted mailboxes, aliases, groups and domains",
      unit: "days",
      default: 20,
      min: 1,
      max: 3_650,
    }),
    keep_received_days: number({
      label: "Keep received emails",
      unit: "days",
      help: "Emails that inbound addresses receive for the API.",
      default: 30,
      min: 1,
      max: 3_650,
    }),
  }),
  ...inGroup("Backups", {
    backup_to: text({
      label: "Destination",
      help: "An absolute path, sftp://user@host/path, or s3://host/bucket/path.",
      default: "local",
      expected: "local, off, an absolute path, or a URL that starts with sftp, s3 or https",
      pattern:
        /^(local|off|\/\S*|(sftp|s3|s3\+http|https?):\/\/[^\s:@]+(:\d+)?\/\S+|(sftp):\/\/[^\s:@]+@\S+\/\S+)$/,
      names: { local: "In the data folder", off: "No backups" },
    }),
    backup_hour: number({
      label: "Start the nightly backup at",
      unit: HOUR_UTC,
      default: 2,
      min: 0,
      max: 23,
    }),
    backup_every_hours: number({
      label: "Back up every",
      unit: "hours",
      help: "Counted from the start of the nightly backup.",
      default: 24,
      min: 1,
      max: 24,
    }),
    backup_changes_minutes: number({
      label: "Save a restore point every",
      unit: "minutes",
      help: "Doesn’t apply to backups in the data folder.",
      default: 5,
      min: 0,
      max: 60,
      names: { 0: "Never" },
    }),
    backup_keep_daily: number({ label: "Daily backups to keep", default: 7, min: 1, max: 366 }),
    backup_keep_weekly: number({ label: "Weekly backups to keep", default: 4, min: 0, max: 520 }),
    backup_keep_monthly: number({
      label: "Monthly backups to keep",
      default: 12,
      min: 0,
      max: 120,
    }),
  }),
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

export type Settings = {
  [Name in SettingName]: (typeof SETTINGS)[Name]["kind"] extends "number" ? number : string;
};

/** "Keep the audit log (days; 0: forever)" */
export function describeSetting(name: SettingName): string {
  const { label, unit, names }: Setting = SETTINGS[name];
  const named = Object.entries(names ?? {}).map(([value, word]) => {
    const phrase = `${word.charAt(0).toLowerCase()}${word.slice(1)}`;
    return phrase === value ? value : `${value}: ${phrase}`;
  });
  const remarks = [unit ?? [], ...named].flat().join("; ");
  return remarks === "" ? label : `${label} (${remarks})`;
}
