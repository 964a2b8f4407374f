import { z } from "zod";

import { type ChartMetrics, getMetricsChart } from "#server/core/sending/metrics/metrics.ts";
import { GRANULARITIES } from "#server/core/sending/metrics/metric-names.ts";
import { findTimeZone, parseMoment } from "#server/core/sending/metrics/periods.ts";
import { pageEndpoints, read } from "#server/http/endpoint.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";

const FORMATS = "must be a date (2026-01-31), a local date and time, or an ISO 8601 timestamp";

const moment = z
  .string()
  .transform((text, input) => {
    const parsed = parseMoment(text);
    if (parsed) return parsed;
    input.addIssue(FORMATS);
    return z.NEVER;
  })
  .optional();

const zone = z.string().transform((name, input) => {
  const found = findTimeZone(name);
  if (found) return found;
  input.addIssue("must be an IANA time zone such as Europe/Berlin, or UTC");
  return z.NEVER;
});

const shownMetrics = ({ range, totals, previous, periods, domains }: ChartMetrics) => ({
  ...toIsoRange(range),
  totals,
  former: { ...toIsoRange(previous), totals: previous.totals },
  periods: periods.map(({ label, counts, ...range }) => ({
    ...toIsoRange(range),
    label,
    counts,
  })),
  domains: domains.map(({ domain, counts, tracking }) => ({
    domainId: domain?.id ?? null,
    domainName: domain?.name ?? null,
    counts,
    tracking,
  })),
});

/** The data of the charts. */
export const metricsConsole = pageEndpoints("console", "metrics", {
  get: read({
    privilege: READ_EMAILS,
    query: z.object({
      startDate: moment,
      endDate: moment,
      timezone: zone.default("UTC"),
      granularity: z.enum(GRANULARITIES).default("daily"),
      domainId: z.uuid({ error: "must be a domain ID" }).toLowerCase().optional(),
    }),
    handle: async ({ ctx, query }) => {
      const { startDate: start = null, endDate: end = null, timezone, granularity } = query;
      const domainIds = query.domainId === undefined ? [] : [query.domainId];
      return shownMetrics(
        await getMetricsChart(ctx, { start, end, zone: timezone, granularity, domainIds }),
      );
    },
  }),
});

const toIsoRange = ({ start, end }: { start: number; end: number }) => ({
  start: toIso(start),
  end: toIso(end),
});

const toIso = (instant: number) => new Date(instant).toISOString();
