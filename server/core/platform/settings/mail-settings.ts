import { choice, domainList, inGroup, number, onOff, text } from "./setting-kinds.ts";

/** Limits on what is sent. */
export const SENDING_SETTINGS = inGroup("Sending limits", {
  hourly_recipients_company: number({
    label: "Recipients per company",
    unit: "in any 60 minutes",
    default: 450,
    min: 1,
    max: 100_000_000,
  }),
  hourly_recipients_platform: number({
    label: "Recipients of all companies together",
    unit: "in any 60 minutes",
    default: 1_800,
    min: 1,
    max: 100_000_000,
  }),
  hourly_recipients_mailbox: number({
    label: "Recipients per mailbox",
    unit: "in any 60 minutes",
    default: 300,
    min: 1,
    max: 1_000_000,
  }),
  scheduled_backlog: number({
    label: "Recipients in scheduled emails, per company",
    default: 20_000,
    min: 0,
    max: 100_000_000,
  }),
  guard_new_recipients: number({
    label: "Put a mailbox’s mail on hold at",
    unit: "new recipients in an hour",
    help: "Stops stolen passwords from sending spam. Counts recipients that the mailbox hasn’t written to before, from a network that it hasn’t used before.",
    default: 50,
    min: 0,
    max: 1_000_000,
    names: { 0: "Never" },
  }),
});

/** Retries, warm-ups (server/core/sending/warm-up), and the addresses that mail is sent from (worker/delivery/sources). */
export const DELIVERY_SETTINGS = inGroup("Delivery", {
  retry_hours_email: number({
    label: "Retry emails sent through the API for",
    unit: "hours",
    default: 48,
    min: 1,
    max: 720,
  }),
  retry_hours_mailbox: number({
    label: "Retry other mail for",
    unit: "hours",
    help: "For example, messages from mailbox users.",
    default: 120,
    min: 1,
    max: 720,
  }),
  warm_up: text({
    label: "Warm-up of a new server",
    help: "Limits the recipients per day at each mail provider, and raises the limit over three weeks. Automatic skips this on a server that has sent mail before. If only its IP address is new, enter the first day (UTC), such as 2026-12-01.",
    default: "auto",
    expected: "auto, off, or a date such as 2026-12-01",
    pattern: /^(auto|off|\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))$/,
    names: { auto: "Automatic", off: "Off" },
  }),
  warm_up_first_day: number({
    label: "Recipients on the first day of a warm-up",
    unit: "at each mail provider",
    help: "The limit grows by 50% each day.",
    default: 200,
    min: 100,
    max: 1_000_000,
  }),
  warm_up_domains: domainList({
    label: "Domains with a warm-up of their own",
    help: "Sending domains, separated by commas.",
  }),
  mail_providers: text({
    label: "Additional mail providers",
    help: "Mail servers and their provider, such as mx.example.net=example, separated by commas. All domains that use one provider share its limits.",
    default: "none",
    expected: "none, or pairs such as mx.example.net=example, separated by commas",
    pattern:
      /^(none|[a-z0-9-]+(\.[a-z0-9-]+)+=[a-z0-9-]+(,[a-z0-9-]+(\.[a-z0-9-]+)+=[a-z0-9-]+)*)$/,
    names: { none: "None" },
  }),
  outbound_names: text({
    label: "Senders with a source address of their own",
    help: "Sending domains or company IDs and a name from POSTHOUSE_OUTBOUND_ADDRESSES, such as example.com=mail2.example.com, separated by commas. Others use the first address.",
    default: "none",
    expected:
      "none, or pairs such as example.com=mail2.example.com, of a sending domain or company id and a name, separated by commas",
    pattern:
      /^(none|[a-z0-9-]+(\.[a-z0-9-]+)*=[a-z0-9-]+(\.[a-z0-9-]+)+(,[a-z0-9-]+(\.[a-z0-9-]+)*=[a-z0-9-]+(\.[a-z0-9-]+)+)*)$/,
    names: { none: "None" },
  }),
  tls_reports: onOff({ label: "Daily TLS reports to domains that ask for them", default: "on" }),
  dmarc_reports: onOff({
    label: "Daily DMARC reports to domains that ask for them",
    default: "on",
  }),
});

/** Limits of what inbound addresses receive for the API. */
export const RECEIVING_SETTINGS = inGroup("Inbound addresses", {
  received_per_minute: number({
    label: "Received emails per company",
    unit: "per minute",
    help: "Above this, senders have to retry.",
    default: 600,
    min: 1,
    max: 1_000_000,
  }),
  received_storage_mb: number({
    label: "Storage for received emails per company",
    unit: "MB",
    help: "While it’s full, senders have to retry.",
    default: 1_024,
    min: 1,
    max: 10_000_000,
  }),
});

/** Settings about mail that may be spam or forged. */
export const SPAM_SETTINGS = inGroup("Spam", {
  rspamd_url: text({
    label: "Spam filter (rspamd)",
    help: "Posthouse can run its own once Debian’s rspamd package is installed.",
    default: "http://127.0.0.1:11333",
    expected: "own, off, or a URL without a path, such as http://127.0.0.1:11333",
    pattern: /^(own|off|https?:\/\/[^\s/?#]+)$/,
    names: { own: "Run by Posthouse", off: "Off" },
  }),
  spam_junk_score: number({
    label: "Move incoming mail to Junk at",
    unit: "points",
    default: 6,
    min: 1,
    max: 1_000,
  }),
  spam_quarantine_score: number({
    label: "Quarantine incoming mail at",
    unit: "points",
    default: 10,
    min: 1,
    max: 1_000,
  }),
  spam_reject_score: number({
    label: "Reject incoming mail at",
    unit: "points",
    default: 15,
    min: 1,
    max: 1_000,
  }),
  outgoing_spam_score: number({
    label: "Treat outgoing mail as spam at",
    unit: "points",
    help: "For companies that scan outgoing mail.",
    default: 15,
    min: 1,
    max: 1_000,
  }),
  outgoing_scan_minimum: choice({
    label: "Minimum action on outgoing spam",
    help: "Companies can choose a stricter one.",
    default: "off",
    names: {
      off: "Each company decides",
      reject: "Reject the message",
      hold: "Reject it and put the mailbox on hold",
    },
  }),
  dnsbl_zones: domainList({
    label: "DNS blocklists",
    help: "Connecting servers are looked up in these zones, separated by commas.",
  }),
  arc_trusted_sealers: domainList({
    label: "Trusted forwarders (ARC)",
    help: "Forwarders and mailing lists, separated by commas. Mail that passed DMARC there passes here.",
  }),
});
