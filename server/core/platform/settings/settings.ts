import {
  type NumberSetting,
  onOff,
  RECEIVING_SETTINGS,
  SENDING_SETTINGS,
  SPAM_SETTINGS,
  type TextSetting,
} from "./mail-settings.ts";

/** Rejects a masked URL (`maskSetting`). */
const URL_OR_NONE = /^(none|https?:\/\/[^\s…]+)$/;

/** All run-time settings. The defaults are the limits that the API documents. */
export const SETTINGS = {
  request_rate_per_second: {
    kind: "number",
    default: 10,
    min: 1,
    max: 10_000,
    meaning: "API requests per second per company",
  },
  requests_in_progress: {
    kind: "number",
    default: 25,
    min: 1,
    max: 10_000,
    meaning: "concurrent API requests per company",
  },
  hourly_recipients_company: {
    kind: "number",
    default: 450,
    min: 1,
    max: 100_000_000,
    meaning: "recipients per company in any 60 minutes",
  },
  hourly_recipients_platform: {
    kind: "number",
    default: 1_800,
    min: 1,
    max: 100_000_000,
    meaning: "recipients of all companies in any 60 minutes",
  },
  scheduled_backlog: {
    kind: "number",
    default: 20_000,
    min: 0,
    max: 100_000_000,
    meaning: "recipients per company in scheduled emails",
  },
  test_events_waiting: {
    kind: "number",
    default: 5,
    min: 1,
    max: 1_000,
    meaning: "pending test events per webhook",
  },
  hourly_recipients_mailbox: {
    kind: "number",
    default: 300,
    min: 1,
    max: 1_000_000,
    meaning: "recipients per mailbox in any 60 minutes",
  },
  guard_new_recipients: {
    kind: "number",
    default: 50,
    min: 0,
    max: 1_000_000,
    meaning:
      "new recipients in an hour, from a new network, that put a mailbox's mail on hold; 0 disables this",
  },
  log_request_bodies: onOff(
    "bodies of API requests in Logs: the last 100 of each API key, for 24 hours, with content and secrets masked. Companies can turn it off",
  ),
  console_idle_minutes: {
    kind: "number",
    default: 720,
    min: 5,
    max: 20_160,
    meaning: "minutes after which a console session that isn't used ends",
  },
  operator_second_factor: {
    kind: "text",
    default: "optional",
    expected: "optional or required",
    pattern: /^(optional|required)$/,
    meaning:
      "whether operators need a second factor: optional (unless their company requires one), or required (without one, they can only set one up)",
  },
  ...SPAM_SETTINGS,
  tls_reports: onOff("daily TLS reports to domains that ask for them"),
  dmarc_reports: onOff("daily DMARC reports to domains that ask for them"),
  alarm_email: {
    kind: "text",
    default: "operators",
    expected: "operators, off, or email addresses separated by commas",
    pattern: /^(operators|off|[^\s@,"\\{}]+@[a-z0-9.-]+(,[^\s@,"\\{}]+@[a-z0-9.-]+)*)$/i,
    meaning:
      "who gets alarms and the daily summary by email: operators, off, or addresses separated by commas",
  },
  alarm_webhook_url: {
    kind: "text",
    default: "none",
    expected: "none, or an http or https URL",
    pattern: URL_OR_NONE,
    meaning: "URL that alarms are posted to as JSON, or none",
    isSecretUrl: true,
  },
  alarm_ntfy_url: {
    kind: "text",
    default: "none",
    expected: "none, or the URL of an ntfy topic",
    pattern: URL_OR_NONE,
    meaning: "ntfy topic for alarms, such as https://ntfy.sh/my-topic, or none",
    isSecretUrl: true,
  },
  alarm_slack_url: {
    kind: "text",
    default: "none",
    expected: "none, or the URL of an incoming webhook",
    pattern: URL_OR_NONE,
    meaning: "incoming webhook of Slack, Mattermost or Rocket.Chat for alarms, or none",
    isSecretUrl: true,
  },
  daily_summary_hour: {
    kind: "number",
    default: 6,
    min: 0,
    max: 24,
    meaning: "hour (UTC) of the daily summary email; 24 turns it off",
  },
  quarantine_digest_hour: {
    kind: "number",
    default: 6,
    min: 0,
    max: 23,
    meaning:
      "hour (UTC) of the digests of quarantined messages, for units whose policy turns them on",
  },
  keep_emails_days: {
    kind: "number",
    default: 0,
    min: 0,
    max: 36_500,
    meaning: "days to keep emails and their history; 0 keeps them forever",
  },
  keep_suppressions_days: {
    kind: "number",
    default: 0,
    min: 0,
    max: 36_500,
    meaning: "days to suppress addresses that bounced; 0 is forever. Complaints stay suppressed",
  },
  keep_audit_days: {
    kind: "number",
    default: 0,
    min: 0,
    max: 36_500,
    meaning: "days to keep the audit log; 0 keeps it forever",
  },
  keep_contacts_days: {
    kind: "number",
    default: 0,
    min: 0,
    max: 36_500,
    meaning: "days to remember who a mailbox has written to; 0 remembers forever",
  },
  keep_deleted_days: {
    kind: "number",
    default: 20,
    min: 1,
    max: 3_650,
    meaning: "days in which deleted mailboxes, aliases, groups and domains can be restored",
  },
  full_text_search: {
    ...onOff(
      "fast searches in mail apps by an index of each mailbox, unless its unit's policy turns it off. They then find beginnings of words only (key finds keyboard, board doesn't), and several words in any order instead of as a phrase. Indexes can take as much disk space as the text of the mail",
    ),
    default: "off",
  },
  ...RECEIVING_SETTINGS,
  backup_to: {
    kind: "text",
    default: "local",
    expected: "local, off, an absolute folder, or a URL that starts with sftp, s3 or https",
    pattern:
      /^(local|off|\/\S*|(sftp|s3|s3\+http|https?):\/\/[^\s:@]+(:\d+)?\/\S+|(sftp):\/\/[^\s:@]+@\S+\/\S+)$/,
    meaning:
      "destination of the nightly backup: local (in the data folder), a folder, sftp://user@host/path, s3://host/bucket/path, or off",
  },
  backup_hour: {
    kind: "number",
    default: 2,
    min: 0,
    max: 23,
    meaning: "hour (UTC) at which the nightly backup starts",
  },
  backup_every_hours: {
    kind: "number",
    default: 24,
    min: 1,
    max: 24,
    meaning: "hours between backups, counted from backup_hour",
  },
  backup_changes_minutes: {
    kind: "number",
    default: 5,
    min: 0,
    max: 60,
    meaning: "minutes between restore points, unless backup_to is local; 0 turns them off",
  },
  backup_keep_daily: {
    kind: "number",
    default: 7,
    min: 1,
    max: 366,
    meaning: "number of daily backups to keep",
  },
  backup_keep_weekly: {
    kind: "number",
    default: 4,
    min: 0,
    max: 520,
    meaning: "number of weekly backups to keep",
  },
  backup_keep_monthly: {
    kind: "number",
    default: 12,
    min: 0,
    max: 120,
    meaning: "number of monthly backups to keep",
  },
  retry_hours_email: {
    kind: "number",
    default: 48,
    min: 1,
    max: 720,
    meaning: "hours until Posthouse stops retrying an email sent through the API",
  },
  retry_hours_mailbox: {
    kind: "number",
    default: 120,
    min: 1,
    max: 720,
    meaning: "hours until Posthouse stops retrying other mail, such as what mailbox users send",
  },
  mail_providers: {
    kind: "text",
    default: "none",
    expected: "none, or pairs such as mx.example.net=example, separated by commas",
    pattern:
      /^(none|[a-z0-9-]+(\.[a-z0-9-]+)+=[a-z0-9-]+(,[a-z0-9-]+(\.[a-z0-9-]+)+=[a-z0-9-]+)*)$/,
    meaning:
      "providers of mail servers, in addition to the built-in list: all domains that use one provider share its limits",
  },
  ...SENDING_SETTINGS,
  region: {
    kind: "text",
    default: "eu-central",
    expected: "1 to 63 lowercase letters, digits, and hyphens, and not start with a hyphen",
    pattern: /^[a-z0-9][a-z0-9-]{0,62}$/,
    meaning: "region shown for every domain",
  },
} as const satisfies Record<string, NumberSetting | TextSetting>;

export type SettingName = keyof typeof SETTINGS;

export type Settings = {
  [Name in SettingName]: (typeof SETTINGS)[Name]["kind"] extends "number" ? number : string;
};
