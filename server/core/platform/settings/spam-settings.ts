import type { NumberSetting, TextSetting } from "./setting-types.ts";

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
