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
  METRICS.map((metric) => [metric, z.number().optional().describe(describeMetric(metric))]),
);

function describeMetric(metric: Metric): string {
  if (!isRate(metric)) return `Number of emails with at least one \`email.${metric}\` event`;
  const { of, to } = RATES[metric];
  return `${of} / ${to}, from 0 to 1 with four decimals; 0 if ${to} is 0`;
}

/** Counts and rates of a range, in total and by dimension. */
export const MetricsObject = z.object({
  object: z.literal("metrics").describe("Object type"),
  start_date: z.string().describe("Start of the range, ISO 8601 in UTC"),
  end_date: z.string().describe("End of the range, ISO 8601 in UTC"),
  timezone: z.string().describe("Time zone used"),
  granularity: z.enum(GRANULARITIES).describe("Period length used"),
  metrics: z.array(z.enum(METRICS)).describe("Metrics returned, without duplicates"),
  dimensions: z.array(z.enum(DIMENSIONS)).describe("Dimensions used, without duplicates"),
  totals: z.object(metricValues).describe("The metrics for the whole range"),
  data: z
    .array(
      z.object({
        period: z
          .string()
          .optional()
          .describe(
            "Start of the period in the requested time zone: `YYYY-MM-DD`, or `YYYY-MM-DDTHH:MM:SS` if hourly",
          ),
        domain_id: z
          .string()
          .nullable()
          .optional()
          .describe("The domain's ID; null for deleted domains"),
        domain_name: z
          .string()
          .nullable()
          .optional()
          .describe("The domain's name; null for deleted domains"),
        ...metricValues,
      }),
    )
    .optional()
    .describe("Present only with `dimensions`: one entry per period and domain with events"),
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
