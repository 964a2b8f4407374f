import { COUNTS, emailsIn, rateOf, RATES } from "./metric-words.ts";
import type { Granularity } from "./period.ts";
import type { Counts, MetricsAnswer } from "./queries.ts";

type Row = Record<string, string | number>;

/** The counts and rates of each period, as a spreadsheet takes them: rates from 0 to 1, nothing where there is none. */
export function periodRows({ periods }: MetricsAnswer, granularity: Granularity): Row[] {
  return periods.map(({ label, counts }) => ({
    [granularity === "hourly" ? "hour" : "day"]: label,
    ...numbersOf(counts),
  }));
}

/** The same of each domain. */
export function domainRows({ domains }: MetricsAnswer): Row[] {
  return domains.map(({ domain_name: name, counts }) => ({
    domain: name ?? "(deleted)",
    ...numbersOf(counts),
  }));
}

function numbersOf(counts: Counts): Row {
  return {
    emails: emailsIn(counts),
    ...Object.fromEntries(COUNTS.map((name) => [name, counts[name]])),
    ...Object.fromEntries(
      RATES.map((name) => [`${name}_rate`, rateOf(name, counts)?.toFixed(4) ?? ""]),
    ),
  };
}
