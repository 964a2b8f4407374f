import { z } from "zod";

import { findZone } from "#server/core/sending/metrics/find-zone.ts";
import type { MetricsRequest } from "#server/core/sending/metrics/get-metrics.ts";
import { DIMENSIONS, GRANULARITIES, METRICS } from "#server/core/sending/metrics/metric-names.ts";
import { parseMoment } from "#server/core/sending/metrics/parse-moment.ts";

const DOMAIN_IDS_MAX = 100;

const ONCE = { error: "must be given once" };
const FORMATS = "a date (2026-01-31), a date and time (2026-01-31T12:00:00) or an instant";

const moment = (meaning: string) =>
  z
    .string(ONCE)
    .transform((text, input) => {
      const parsed = parseMoment(text);
      if (parsed) return parsed;
      input.addIssue(
        `must be ${FORMATS} (2026-01-31T12:00:00Z; the + of an offset is written %2B)`,
      );
      return z.NEVER;
    })
    .optional()
    .describe(`${meaning} ${FORMATS} with Z or offset`);

/** Comma-separated, repeated, or both; each element once. */
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
    .describe("Not supported: refused when given");

/** What metrics are asked for. */
export const MetricsQuery = z
  .object({
    start_date: moment(
      "Start of the range; 7 days before its end when left out. A date is its start:",
    ),
    end_date: moment("End of the range, now at most and when left out. A date is its end:"),
    timezone: z
      .string(ONCE)
      .transform((name, input) => {
        const zone = findZone(name);
        if (zone) return zone;
        input.addIssue("must be the IANA name of a time zone such as Europe/Berlin, or UTC");
        return z.NEVER;
      })
      .default("UTC")
      .describe("IANA name; no abbreviation and no offset"),
    granularity: z
      .enum(GRANULARITIES, { error: `must be one of ${GRANULARITIES.join(", ")}, given once` })
      .default("daily")
      .describe("Length of the periods of dimension period; weeks start on Monday"),
    metrics: listOf(oneOf(METRICS))
      .default([...METRICS])
      .describe(`Comma-separated or repeated; all when left out: ${METRICS.join(", ")}`),
    dimensions: listOf(oneOf(DIMENSIONS))
      .default([])
      .describe("Comma-separated or repeated: period, domain or both; only totals when left out"),
    domain_id: listOf(z.uuid({ error: "must be the id of a domain" }).toLowerCase())
      .refine((ids) => ids.length <= DOMAIN_IDS_MAX, {
        error: `must be ${DOMAIN_IDS_MAX} ids at most`,
      })
      .default([])
      .describe(
        `Comma-separated or repeated, ${DOMAIN_IDS_MAX} at most: only these domains' emails`,
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
