import type { Context } from "#server/core/shared/context.ts";

import { countEmails, type Counted } from "./internal/count-emails.ts";
import { listPeriods } from "./internal/list-periods.ts";
import {
  COUNT_METRICS,
  type CountMetric,
  type Dimension,
  type Granularity,
  type Metric,
  RATES,
} from "./metric-names.ts";
import type { MomentInput } from "./parse-moment.ts";
import { type Range, resolveRange } from "./internal/resolve-range.ts";

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
  const counted = await countEmails(ctx, counting, { timeoutMs });

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
function rate(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(1, Math.round((part / whole) * 10_000) / 10_000);
}
