import type { CountedEventType } from "#server/core/sending/events/event-type-bits.ts";

/** How many emails have at least one event of the type. */
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

/** Each rate is one count in proportion to another. */
export const RATES = {
  delivery_rate: { of: "delivered", to: "sent" },
  bounce_rate: { of: "bounced", to: "sent" },
  open_rate: { of: "opened", to: "delivered" },
  click_rate: { of: "clicked", to: "delivered" },
} as const satisfies Record<string, { of: CountMetric; to: CountMetric }>;

export type RateMetric = keyof typeof RATES;
export type Metric = CountMetric | RateMetric;

// The keys of RATES are its own.
export const METRICS: readonly Metric[] = [
  ...COUNT_METRICS,
  ...(Object.keys(RATES) as RateMetric[]),
];

/**
 * What became of an email, to its sender: each email is in exactly one of these. One with several
 * recipients is `failed` when it failed for any of them.
 */
export const OUTCOMES = ["done", "waiting", "failed", "not_sent"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const DIMENSIONS = ["period", "domain"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const GRANULARITIES = ["hourly", "daily", "weekly", "monthly"] as const;
export type Granularity = (typeof GRANULARITIES)[number];
