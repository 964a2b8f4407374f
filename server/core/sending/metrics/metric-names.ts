import type { CountedEventType } from "#server/core/sending/events/email-events.ts";

/** The number of emails with at least one event of the type. */
export const COUNT_METRICS = [
  "sent",
  "delivered",
  "delivery_delayed",
  "bounced",
  "complained",
  "failed",
  "opened",
  "clicked",
  "suppressed",
  "canceled",
  "scheduled",
] as const satisfies CountedEventType[];

export type CountMetric = (typeof COUNT_METRICS)[number];

/** Each rate is the ratio of two counts. */
export const RATES = {
  delivery_rate: { of: "delivered", to: "sent" },
  bounce_rate: { of: "bounced", to: "sent" },
  open_rate: { of: "opened", to: "delivered" },
  click_rate: { of: "clicked", to: "delivered" },
} as const satisfies Record<string, { of: CountMetric; to: CountMetric }>;

export type RateMetric = keyof typeof RATES;
export type Metric = CountMetric | RateMetric;

// Object.keys is typed as string[], but the keys of RATES are known.
export const METRICS: readonly Metric[] = [
  ...COUNT_METRICS,
  ...(Object.keys(RATES) as RateMetric[]),
];

/**
 * What became of an email, from its sender's view. Each email has exactly one outcome; with several
 * recipients it is `failed` if it failed for any.
 */
export const EMAIL_OUTCOMES = ["done", "waiting", "failed", "not_sent"] as const;
export type EmailOutcome = (typeof EMAIL_OUTCOMES)[number];

export const DIMENSIONS = ["period", "domain"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const GRANULARITIES = ["hourly", "daily", "weekly", "monthly"] as const;
export type Granularity = (typeof GRANULARITIES)[number];
