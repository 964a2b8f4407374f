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
