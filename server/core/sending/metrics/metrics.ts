import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { countByPeriod, type Counted } from "./internal/count-emails.ts";
import { listPeriods, type MomentInput, type Range, resolveRange } from "./periods.ts";
import {
  COUNT_METRICS,
  type CountMetric,
  type Dimension,
  EMAIL_OUTCOMES,
  type EmailOutcome,
  type Granularity,
  type Metric,
  RATES,
} from "./metric-names.ts";

/** Callers wait, and other queries compete for the database. */
const COUNT_TIMEOUT_MS = 10_000;

export type MetricsRequest = {
  start: MomentInput | null;
  end: MomentInput | null;
  zone: string;
  granularity: Granularity;
  metrics: Metric[];
  dimensions: Dimension[];
  /** Empty for all domains of the company. */
  domainIds: string[];
};

type Values = Partial<Record<Metric, number>>;

/** Values of a period, of a domain, or of a domain in a period. */
type MetricsEntry = {
  period?: string;
  /** Null groups deleted domains. */
  domain?: { id: string; name: string } | null;
  values: Values;
};

export type Metrics = { range: Range; totals: Values; entries: MetricsEntry[] };

/**
 * Counts the company's emails with each event type, by the time they were sent, or accepted if they weren't.
 * No entries without dimensions.
 *
 * @throws Refusal `invalid` if the range is too long or has too many emails, or for another company's domain;
 *   `rate_limit_exceeded` while another request of the company runs
 */
export async function getMetrics(
  ctx: Context,
  { start, end, zone, granularity, metrics, dimensions, domainIds }: MetricsRequest,
  { timeoutMs = COUNT_TIMEOUT_MS } = {},
): Promise<Metrics> {
  const range = resolveRange(ctx.now(), { start, end, zone });
  const byPeriod = dimensions.includes("period");
  const byDomain = dimensions.includes("domain");
  const labelled = byPeriod ? listPeriods(range, zone, granularity) : null;
  const counting = { periods: labelled ?? [range], byDomain, domainIds };
  const counted = await countByPeriod(ctx, counting, { timeoutMs });

  const entries = dimensions.length === 0 ? [] : counted.filter(hasEvents).sort(inListOrder);
  return {
    range,
    totals: valuesOf(metrics, counted),
    entries: entries.map((entry) => ({
      ...(labelled && { period: labelled[entry.period]!.label }),
      ...(byDomain && { domain: domainOf(entry) }),
      values: valuesOf(metrics, [entry]),
    })),
  };
}

const hasEvents = (counts: Counted) => COUNT_METRICS.some((metric) => counts[metric] > 0);

function inListOrder(a: Counted, b: Counted): number {
  if (a.period !== b.period) return a.period - b.period;
  if (a.domain_name === null || b.domain_name === null)
    return Number(a.domain_name === null) - Number(b.domain_name === null);
  return a.domain_name < b.domain_name ? -1 : 1;
}

const domainOf = ({ domain_id: id, domain_name: name }: Counted) =>
  id === null || name === null ? null : { id, name };

function valuesOf(metrics: Metric[], counted: Counted[]): Values {
  const countOf = (metric: CountMetric) => counted.reduce((sum, counts) => sum + counts[metric], 0);
  return Object.fromEntries(
    metrics.map((metric) => [
      metric,
      isRate(metric) ? rate(countOf(RATES[metric].of), countOf(RATES[metric].to)) : countOf(metric),
    ]),
  );
}

const isRate = (metric: Metric): metric is keyof typeof RATES => Object.hasOwn(RATES, metric);

/** Rounded to four decimals; capped at 1, since an email can be opened without a recorded delivery. */
const rate = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.min(1, Math.round((part / whole) * 10_000) / 10_000);

/** More than a chart can show. */
const POINTS_MAX = 750;

export type ChartRequest = {
  start: MomentInput | null;
  end: MomentInput | null;
  zone: string;
  granularity: Granularity;
  /** Empty for all domains of the company. */
  domainIds: string[];
};

/** The number of emails with each event type and with each outcome. */
type Counts = Record<CountMetric, number> & { outcomes: Record<EmailOutcome, number> };

export type ChartMetrics = {
  range: Range;
  totals: Counts;
  /** The range of the same length just before. */
  previous: Range & { totals: Counts };
  /** All periods of the range in order, including empty ones. */
  periods: (Range & { label: string; counts: Counts })[];
  /** Domains with emails in the range, busiest first. Null groups deleted domains. */
  domains: {
    domain: { id: string; name: string } | null;
    counts: Counts;
    /** What is tracked now. Deleted domains count as tracked, since it isn't known. */
    tracking: { opens: boolean; clicks: boolean };
  }[];
};

/**
 * Returns the data of the console's charts from one query: by period and by domain, with the previous range.
 *
 * @throws Refusal `invalid` if the range is too long, has more than 750 periods or too many emails, or for
 *   another company's domain; `rate_limit_exceeded` while another such request runs
 */
export async function getMetricsChart(
  ctx: Context,
  { start, end, zone, granularity, domainIds }: ChartRequest,
  { timeoutMs = COUNT_TIMEOUT_MS } = {},
): Promise<ChartMetrics> {
  const range = resolveRange(ctx.now(), { start, end, zone });
  const periods = listPeriods(range, zone, granularity);
  if (periods.length > POINTS_MAX)
    throw new Refusal(
      "invalid",
      `The range has more than ${POINTS_MAX} periods. Request longer periods`,
    );
  const former = { start: range.start - (range.end - range.start) - 1, end: range.start - 1 };
  const counted = await countByPeriod(
    ctx,
    { periods: [former, ...periods], byDomain: true, domainIds },
    { timeoutMs, caller: "console" },
  );
  const byPeriod = Map.groupBy(counted, ({ period }) => period);
  const current = counted.filter(({ period }) => period > 0);
  // Both lists are exhaustive.
  return {
    range,
    totals: sumCounts(current),
    previous: { ...former, totals: sumCounts(byPeriod.get(0) ?? []) },
    periods: periods.map(({ start, end, label }, i) => ({
      start,
      end,
      label,
      counts: sumCounts(byPeriod.get(i + 1) ?? []),
    })),
    domains: domainsOf(current),
  };
}

function domainsOf(counted: Counted[]): ChartMetrics["domains"] {
  return [...Map.groupBy(counted, ({ domain_id: id }) => id).values()]
    .map((ofDomain) => ({
      domain: nameOf(ofDomain[0]!),
      counts: sumCounts(ofDomain),
      tracking: {
        opens: ofDomain[0]!.open_tracking ?? true,
        clicks: ofDomain[0]!.click_tracking ?? true,
      },
    }))
    .toSorted((a, b) => allOf(b.counts) - allOf(a.counts) || inOrder(a, b));
}

const nameOf = ({ domain_id: id, domain_name: name }: Counted) =>
  id === null || name === null ? null : { id, name };

const allOf = ({ outcomes }: Counts) =>
  EMAIL_OUTCOMES.reduce((sum, name) => sum + outcomes[name], 0);

type Named = ChartMetrics["domains"][number];

const inOrder = (a: Named, b: Named) => ((a.domain?.name ?? "") < (b.domain?.name ?? "") ? -1 : 1);

function sumCounts(counted: Counted[]): Counts {
  const all = (count: (row: Counted) => number) =>
    counted.reduce((sum, row) => sum + count(row), 0);
  const events = COUNT_METRICS.map((metric) => [metric, all((row) => row[metric])]);
  const outcomes = EMAIL_OUTCOMES.map((outcome) => [outcome, all((row) => row.outcomes[outcome])]);
  // Both lists name all there are.
  return {
    ...(Object.fromEntries(events) as Record<CountMetric, number>),
    outcomes: Object.fromEntries(outcomes) as Record<EmailOutcome, number>,
  };
}
