/** Warm-ups (server/core/sending/warm-up), and the addresses that mail is sent from (worker/delivery/sources). */
export const SENDING_SETTINGS = {
  warm_up: {
    kind: "text",
    default: "auto",
    expected: "auto, off, or a date such as 2026-12-01",
    pattern: /^(auto|off|\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))$/,
    meaning:
      "daily quotas of a new server at each mail provider, growing for three weeks: auto (unless it has sent mail before), off, or the first day (UTC) if its address is new",
  },
  warm_up_first_day: {
    kind: "number",
    default: 200,
    min: 100,
    max: 1_000_000,
    meaning: "recipients at each mail provider on the first day of a warm-up; half more each day",
  },
  warm_up_domains: {
    kind: "text",
    default: "none",
    expected: "none, or domain names separated by commas",
    pattern: /^(none|[a-z0-9-]+(\.[a-z0-9-]+)+(,[a-z0-9-]+(\.[a-z0-9-]+)+)*)$/,
    meaning: "sending domains with a warm-up of their own, separated by commas, or none",
  },
  outbound_names: {
    kind: "text",
    default: "none",
    expected:
      "none, or pairs such as example.com=mail2.example.com, of a sending domain or company id and a name, separated by commas",
    pattern:
      /^(none|[a-z0-9-]+(\.[a-z0-9-]+)*=[a-z0-9-]+(\.[a-z0-9-]+)+(,[a-z0-9-]+(\.[a-z0-9-]+)*=[a-z0-9-]+(\.[a-z0-9-]+)+)*)$/,
    meaning:
      "which sending domains and companies (by id) use which name of POSTHOUSE_OUTBOUND_ADDRESSES; others use the first",
  },
} as const;

/** Limits of what inbound addresses receive for the API. */
export const RECEIVING_SETTINGS = {
  keep_received_days: {
    kind: "number",
    default: 30,
    min: 1,
    max: 3_650,
    meaning: "days to keep received emails, which inbound addresses get for the API",
  },
  received_storage_mb: {
    kind: "number",
    default: 1_024,
    min: 1,
    max: 10_000_000,
    meaning: "MB of received emails per company; while it is reached, senders have to retry",
  },
  received_per_minute: {
    kind: "number",
    default: 600,
    min: 1,
    max: 1_000_000,
    meaning: "received emails per company and minute; above it, senders have to retry",
  },
} as const satisfies Record<string, NumberSetting>;

/** Settings about incoming mail that may be spam or forged. */
export const SPAM_SETTINGS = {
  spam_junk_score: {
    kind: "number",
    default: 6,
    min: 1,
    max: 1_000,
    meaning: "rspamd score at which mail goes to Junk",
  },
  spam_quarantine_score: {
    kind: "number",
    default: 10,
    min: 1,
    max: 1_000,
    meaning: "rspamd score at which mail is quarantined",
  },
  spam_reject_score: {
    kind: "number",
    default: 15,
    min: 1,
    max: 1_000,
    meaning: "rspamd score at which mail is rejected",
  },
  outgoing_spam_score: {
    kind: "number",
    default: 15,
    min: 1,
    max: 1_000,
    meaning:
      "rspamd score at which outgoing mail is put on hold or rejected, for companies that scan it",
  },
  outgoing_scan_minimum: {
    kind: "text",
    default: "off",
    expected: "off, reject or hold",
    pattern: /^(off|reject|hold)$/,
    meaning:
      "minimum that companies do about outgoing spam: off (each company decides), reject, or hold (also puts the mailbox on hold)",
  },
  rspamd_url: {
    kind: "text",
    default: "http://127.0.0.1:11333",
    expected: "own, off, or a URL without a path, such as http://127.0.0.1:11333",
    pattern: /^(own|off|https?:\/\/[^\s/?#]+)$/,
    meaning:
      "the rspamd that scans mail: own (Posthouse runs it; install Debian's rspamd package first), a URL, or off",
  },
  dnsbl_zones: {
    kind: "text",
    default: "none",
    expected: "none, or domain names separated by commas",
    pattern: /^(none|[a-z0-9-]+(\.[a-z0-9-]+)+(,[a-z0-9-]+(\.[a-z0-9-]+)+)*)$/,
    meaning: "DNS blocklists to check connecting servers against, separated by commas, or none",
  },
  arc_trusted_sealers: {
    kind: "text",
    default: "none",
    expected: "none, or lowercase domain names separated by commas",
    pattern: /^(none|[a-z0-9-]+(\.[a-z0-9-]+)+(,[a-z0-9-]+(\.[a-z0-9-]+)+)*)$/,
    meaning:
      "forwarders and mailing lists whose ARC seals are trusted: mail that passed DMARC there passes here, or none",
  },
} as const satisfies Record<string, NumberSetting | TextSetting>;

/** A limit that an operator can change at run time. */
export type NumberSetting = {
  kind: "number";
  default: number;
  min: number;
  max: number;
  meaning: string;
};

/**
 * @property expected completes "must be", for the error about any other value
 * @property isSecretUrl whether the path contains a secret, which isn't shown (`maskSetting`)
 */
export type TextSetting = {
  kind: "text";
  default: string;
  pattern: RegExp;
  expected: string;
  meaning: string;
  isSecretUrl?: true;
};

/** A setting that is on unless an operator turns it off. */
export const onOff = (meaning: string) => ({
  ...({ kind: "text", default: "on", expected: "on or off" } as const),
  pattern: /^(on|off)$/,
  meaning,
});
