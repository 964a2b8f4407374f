import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { countEmails, type Counted } from "./internal/count-emails.ts";
import { listPeriods } from "./internal/list-periods.ts";
import {
  COUNT_METRICS,
  type CountMetric,
  type Granularity,
  OUTCOMES,
  type Outcome,
} from "./metric-names.ts";
import type { MomentInput } from "./parse-moment.ts";
import { type Range, resolveRange } from "./internal/resolve-range.ts";

/** An admin waits for the page. */
const COUNT_TIMEOUT_MS = 10_000;
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
export type Counts = Record<CountMetric, number> & { outcomes: Record<Outcome, number> };

export type ChartMetrics = {
  range: Range;
  totals: Counts;
  /** The range of the same length just before. */
  previous: Range & { totals: Counts };
  /** All periods of the range in order, including empty ones. */
  periods: (Range & { label: string; counts: Counts })[];
  /** Domains with emails in the range, busiest first. Null groups deleted domains. */
  domains: { domain: { id: string; name: string } | null; counts: Counts }[];
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
  const counted = await countEmails(
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
      ...{ start, end, label },
      counts: sumCounts(byPeriod.get(i + 1) ?? []),
    })),
    domains: domainsOf(current),
  };
}

function domainsOf(counted: Counted[]): ChartMetrics["domains"] {
  return [...Map.groupBy(counted, ({ domain_id: id }) => id).values()]
    .map((ofDomain) => ({ domain: nameOf(ofDomain[0]!), counts: sumCounts(ofDomain) }))
    .toSorted((a, b) => allOf(b.counts) - allOf(a.counts) || inOrder(a, b));
}

const nameOf = ({ domain_id: id, domain_name: name }: Counted) =>
  id === null || name === null ? null : { id, name };

const allOf = ({ outcomes }: Counts) => OUTCOMES.reduce((sum, name) => sum + outcomes[name], 0);

type Named = ChartMetrics["domains"][number];
const inOrder = (a: Named, b: Named) => ((a.domain?.name ?? "") < (b.domain?.name ?? "") ? -1 : 1);

function sumCounts(counted: Counted[]): Counts {
  const all = (count: (row: Counted) => number) =>
    counted.reduce((sum, row) => sum + count(row), 0);
  const events = COUNT_METRICS.map((metric) => [metric, all((row) => row[metric])]);
  const outcomes = OUTCOMES.map((outcome) => [outcome, all((row) => row.outcomes[outcome])]);
  // Both lists name all there are.
  return {
    ...(Object.fromEntries(events) as Record<CountMetric, number>),
    outcomes: Object.fromEntries(outcomes) as Record<Outcome, number>,
  };
}
