import { z } from "zod";

import { findZone } from "#server/core/sending/metrics/find-zone.ts";
import type { MetricsRequest } from "#server/core/sending/metrics/get-metrics.ts";
import { DIMENSIONS, GRANULARITIES, METRICS } from "#server/core/sending/metrics/metric-names.ts";
import { parseMoment } from "#server/core/sending/metrics/parse-moment.ts";

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

export const MetricsQuery = z
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
        const zone = findZone(name);
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
