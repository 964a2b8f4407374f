import { z } from "zod";

import { findTimeZone, parseMoment } from "#server/core/sending/metrics/periods.ts";
import {
  getMetrics,
  type Metrics,
  type MetricsRequest,
} from "#server/core/sending/metrics/metrics.ts";
import {
  DIMENSIONS,
  GRANULARITIES,
  METRICS,
  type Metric,
  RATES,
  type RateMetric,
} from "#server/core/sending/metrics/metric-names.ts";
import type { Example } from "#server/http/code-samples.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";

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
const MetricsObject = z.object({
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

const metricsObject = (
  asked: MetricsRequest,
  { range, totals, entries }: Metrics,
): z.input<typeof MetricsObject> => ({
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
});

const DOMAIN_IDS_MAX = 100;

const ONCE = { error: "must appear only once" };

const FORMATS = "a date (2026-01-31), a date and time (2026-01-31T12:00:00) or an instant";

const moment = (meaning: string) =>
  z
    .string(ONCE)
    .transform((text, input) => {
      const parsed = parseMoment(text);
      if (parsed) return parsed;
      input.addIssue(`must be ${FORMATS} (2026-01-31T12:00:00Z; encode the + of an offset as %2B)`);
      return z.NEVER;
    })
    .optional()
    .describe(`${meaning} ${FORMATS} with Z or offset`);

/** Comma-separated, repeated, or both; duplicates are removed. */
const listOf = <Element extends z.ZodType<unknown, string>>(element: Element) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [
      ...new Set([given].flat().flatMap((part) => part.split(",").map((name) => name.trim()))),
    ])
    .pipe(z.array(element));

const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, { error: `must be one of ${names.join(", ")}` });

const unsupported = (what: string) =>
  z
    .undefined({ error: `metrics by ${what} are not supported` })
    .optional()
    .describe("Not supported: causes an error if present");

const MetricsQuery = z
  .object({
    start_date: moment(
      "Start of the range; defaults to 7 days before its end. A date means the start of that day:",
    ),
    end_date: moment(
      "End of the range; defaults to now, which is also the maximum. A date means the end of that day:",
    ),
    timezone: z
      .string(ONCE)
      .transform((name, input) => {
        const zone = findTimeZone(name);
        if (zone) return zone;
        input.addIssue("must be an IANA time zone name such as Europe/Berlin, or UTC");
        return z.NEVER;
      })
      .default("UTC")
      .describe("IANA time zone name. Abbreviations and offsets are not supported"),
    granularity: z
      .enum(GRANULARITIES, {
        error: `must be one of ${GRANULARITIES.join(", ")}, and appear only once`,
      })
      .default("daily")
      .describe("Length of a period in the `period` dimension. Weeks start on Monday"),
    metrics: listOf(oneOf(METRICS))
      .default([...METRICS])
      .describe(`Comma-separated or repeated; defaults to all: ${METRICS.join(", ")}`),
    dimensions: listOf(oneOf(DIMENSIONS))
      .default([])
      .describe(
        "`period`, `domain` or both, comma-separated or repeated. If absent, only totals are returned",
      ),
    domain_id: listOf(z.uuid({ error: "must be a domain ID" }).toLowerCase())
      .refine((ids) => ids.length <= DOMAIN_IDS_MAX, {
        error: `must have at most ${DOMAIN_IDS_MAX} IDs`,
      })
      .default([])
      .describe(
        `Only emails of these domains: up to ${DOMAIN_IDS_MAX} IDs, comma-separated or repeated`,
      ),
    email_id: unsupported("email"),
    broadcast_id: unsupported("broadcast"),
  })
  .transform((query): MetricsRequest => ({
    start: query.start_date ?? null,
    end: query.end_date ?? null,
    zone: query.timezone,
    granularity: query.granularity,
    metrics: query.metrics,
    dimensions: query.dimensions,
    domainIds: [...new Set(query.domain_id)],
  }));

/** A sample for the metrics of emails. */
export const metricsExample = (domainId: string): Record<string, Example> => ({
  "GET /emails/metrics": {
    query: {
      start_date: "2026-03-01",
      metrics: "sent,delivered,delivery_rate",
      dimensions: "domain",
    },
    answer: {
      object: "metrics",
      start_date: "2026-03-01T00:00:00.000Z",
      end_date: "2026-03-08T12:00:00.000Z",
      timezone: "UTC",
      granularity: "daily",
      metrics: ["sent", "delivered", "delivery_rate"],
      dimensions: ["domain"],
      totals: { sent: 2000, delivered: 1991, delivery_rate: 0.9955 },
      data: [
        {
          domain_id: domainId,
          domain_name: "shop.example",
          sent: 2000,
          delivered: 1991,
          delivery_rate: 0.9955,
        },
      ],
    },
    sdk: [
      "emails.metrics",
      {
        startDate: "2026-03-01",
        metrics: ["sent", "delivered", "delivery_rate"],
        dimensions: ["domain"],
      },
    ],
  },
});

export const getEmailMetrics = defineEndpoint("GET", "/emails/metrics", {
  summary: "Retrieve email metrics",
  description:
    "A count is the number of emails with at least one event of that type. Emails belong to the period in which they were sent or, if not sent, accepted.",
  admitsTestKeys: true,
  privilege: READ_EMAILS,
  query: MetricsQuery,
  response: MetricsObject,
  handle: async ({ ctx, query }) => metricsObject(query, await getMetrics(ctx, query)),
});
