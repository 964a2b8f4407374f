import { COUNTS, emailCount, rateOf, RATES } from "./metric-labels.ts";
import type { Granularity } from "./period.ts";
import type { Counts, MetricsAnswer } from "./queries.ts";

type Row = Record<string, string | number>;

/** CSV rows with the counts and rates of each period. Rates range from 0 to 1 and are empty if undefined. */
export function periodRows({ periods }: MetricsAnswer, granularity: Granularity): Row[] {
  return periods.map(({ label, counts }) => ({
    [granularity === "hourly" ? "hour" : "day"]: label,
    ...numberColumns(counts),
  }));
}

/** CSV rows with the counts and rates of each domain. */
export function domainRows({ domains }: MetricsAnswer): Row[] {
  return domains.map(({ domainName: name, counts }) => ({
    domain: name ?? "(deleted)",
    ...numberColumns(counts),
  }));
}

function numberColumns(counts: Counts): Row {
  return {
    emails: emailCount(counts),
    ...Object.fromEntries(COUNTS.map((name) => [name, counts[name]])),
    ...Object.fromEntries(
      RATES.map((name) => [`${name}_rate`, rateOf(name, counts)?.toFixed(4) ?? ""]),
    ),
  };
}
