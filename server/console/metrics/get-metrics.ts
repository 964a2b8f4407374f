import { z } from "zod";

import {
  getMetricsChart,
  type ChartMetrics,
  type Counts,
} from "#server/core/sending/metrics/chart-metrics.ts";
import { findZone } from "#server/core/sending/metrics/find-zone.ts";
import {
  COUNT_METRICS,
  GRANULARITIES,
  OUTCOMES,
} from "#server/core/sending/metrics/metric-names.ts";
import { parseMoment } from "#server/core/sending/metrics/parse-moment.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

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
  const found = findZone(name);
  if (found) return found;
  input.addIssue("must be an IANA time zone such as Europe/Berlin, or UTC");
  return z.NEVER;
});

const numbers = <Names extends readonly string[]>(names: Names) =>
  z.object(
    Object.fromEntries(names.map((name) => [name, z.number()])) as Record<
      Names[number],
      z.ZodNumber
    >,
  );

const CountsObject = numbers(COUNT_METRICS)
  .extend({ outcomes: numbers(OUTCOMES).describe("Each email counts in exactly one outcome") })
  .describe("Numbers of emails with at least one event of the type, and by outcome");

const range = { start: z.string(), end: z.string() };

export const getMetrics = defineEndpoint({
  method: "GET",
  path: "/console/api/metrics",
  summary: "Retrieve email counts by period and domain, with the previous range for comparison",
  permission: "console",
  privilege: "api_controls",
  query: z.object({
    start_date: moment,
    end_date: moment,
    timezone: zone.default("UTC"),
    granularity: z.enum(GRANULARITIES).default("daily"),
    domain_id: z.uuid({ error: "must be a domain ID" }).toLowerCase().optional(),
  }),
  response: z.object({
    ...range,
    totals: CountsObject,
    former: z
      .object({ ...range, totals: CountsObject })
      .describe("The range of the same length just before"),
    periods: z.array(z.object({ ...range, label: z.string(), counts: CountsObject })),
    domains: z.array(
      z.object({
        domain_id: z.string().nullable().describe("Null for all deleted domains together"),
        domain_name: z.string().nullable(),
        counts: CountsObject,
      }),
    ),
  }),
  refusals: ["invalid", "rate_limit_exceeded"],
  handle: async ({ ctx, query }) => {
    const { start_date: start = null, end_date: end = null, timezone, granularity } = query;
    const domainIds = query.domain_id === undefined ? [] : [query.domain_id];
    return toResponse(
      await getMetricsChart(ctx, { start, end, zone: timezone, granularity, domainIds }),
    );
  },
});

const toIso = (instant: number) => new Date(instant).toISOString();
const toIsoRange = ({ start, end }: { start: number; end: number }) => ({
  start: toIso(start),
  end: toIso(end),
});

function toResponse({ range, totals, previous, periods, domains }: ChartMetrics) {
  return {
    ...toIsoRange(range),
    totals,
    former: { ...toIsoRange(previous), totals: previous.totals },
    periods: periods.map(({ label, counts, ...range }) => ({
      ...toIsoRange(range),
      label,
      counts,
    })),
    domains: domains.map(({ domain, counts }: { domain: Named; counts: Counts }) => ({
      domain_id: domain?.id ?? null,
      domain_name: domain?.name ?? null,
      counts,
    })),
  };
}

type Named = { id: string; name: string } | null;
