import { z } from "zod";

import type { Metrics, MetricsRequest } from "#server/core/sending/metrics/get-metrics.ts";
import {
  DIMENSIONS,
  GRANULARITIES,
  type Metric,
  METRICS,
  type RateMetric,
  RATES,
} from "#server/core/sending/metrics/metric-names.ts";

const isRate = (metric: Metric): metric is RateMetric => metric in RATES;

const metricValues = Object.fromEntries(
  METRICS.map((metric) => [metric, z.number().optional().describe(meaningOf(metric))]),
);

function meaningOf(metric: Metric): string {
  if (!isRate(metric)) return `Emails with at least one event \`email.${metric}\``;
  const { of, to } = RATES[metric];
  return `${of} / ${to}, from 0 to 1 with four decimals; 0 when ${to} is 0`;
}

/** Counts and rates of a range, in total and by the dimensions asked for. */
export const MetricsObject = z.object({
  object: z.literal("metrics").describe("What kind of object this is"),
  start_date: z.string().describe("ISO 8601 in UTC"),
  end_date: z.string().describe("ISO 8601 in UTC"),
  timezone: z.string().describe("As used"),
  granularity: z.enum(GRANULARITIES).describe("As used"),
  metrics: z.array(z.enum(METRICS)).describe("As used, each once"),
  dimensions: z.array(z.enum(DIMENSIONS)).describe("As used, each once"),
  totals: z.object(metricValues).describe("Each metric asked for, of the whole range"),
  data: z
    .array(
      z.object({
        period: z
          .string()
          .optional()
          .describe("Start of the period in the zone: YYYY-MM-DD, hourly YYYY-MM-DDTHH:MM:SS"),
        domain_id: z.string().nullable().optional().describe("Null for deleted domains"),
        domain_name: z.string().nullable().optional().describe("Null for deleted domains"),
        ...metricValues,
      }),
    )
    .optional()
    .describe("Only with dimensions: periods and domains that have events"),
});

export function metricsObject(
  asked: MetricsRequest,
  { range, totals, entries }: Metrics,
): z.input<typeof MetricsObject> {
  return {
    object: "metrics",
    start_date: new Date(range.start).toISOString(),
    end_date: new Date(range.end).toISOString(),
    timezone: asked.zone,
    granularity: asked.granularity,
    metrics: asked.metrics,
    dimensions: asked.dimensions,
    totals,
    ...(asked.dimensions.length > 0 && {
      data: entries.map(({ period, domain, values }) => ({
        ...(period !== undefined && { period }),
        ...(domain !== undefined && {
          domain_id: domain?.id ?? null,
          domain_name: domain?.name ?? null,
        }),
        ...values,
      })),
    }),
  };
}
