import { z } from "zod";

import { momentQuery } from "#server/console/moment-query.ts";
import { sortQuery } from "#server/console/sort-query.ts";

import { EMAIL_STATES } from "#server/core/sending/emails/email-states.ts";
import { type EmailFilters, WITHOUT_KEY } from "#server/core/sending/emails/email-filters.ts";
import { COUNT_METRICS } from "#server/core/sending/metrics/metric-names.ts";

const TEXT_MAX = 200;
const text = z.string().max(TEXT_MAX).optional();
const moment = momentQuery("must be a UTC timestamp", { offset: false }).optional();

const States = z
  .string()
  .transform((states) => states.split(",").filter(Boolean))
  .pipe(z.array(z.enum(EMAIL_STATES)))
  .optional();

export const EmailQuery = z.object({
  mode: z
    .enum(["live", "test"])
    .default("live")
    .describe("`live` lists live emails, `test` lists test emails"),
  search: text.describe("Part of a recipient address, words of the subject, or an ID"),
  recipient: text.describe("Part of a recipient address (to, cc or bcc)"),
  subject: text.describe("Words that the subject must contain"),
  status: States.describe("Comma-separated statuses"),
  event: z
    .enum(COUNT_METRICS)
    .optional()
    .describe("An event that happened to the email at any time"),
  domain: z.uuid().optional().describe("ID of the sending domain"),
  tag: z.string().max(600).optional().describe("A tag's name, or name=value"),
  key: z
    .uuid()
    .or(z.literal(WITHOUT_KEY))
    .optional()
    .describe("ID of an API key, or `none` for emails sent from the console"),
  from: moment.describe("Created at or after this time"),
  to: moment.describe("Created before this time"),
});

/** Which emails to list, and in which order. */
export const EmailSearchQuery = EmailQuery.extend({ sort: sortQuery(["created"], "-created") });

export const emailFilters = (query: z.output<typeof EmailQuery>): EmailFilters => ({
  isTest: query.mode === "test",
  text: trimmedOrNull(query.search),
  recipient: trimmedOrNull(query.recipient),
  subject: trimmedOrNull(query.subject),
  states: query.status ?? [],
  event: query.event ?? null,
  domainId: query.domain ?? null,
  tag: query.tag ? parseTag(query.tag) : null,
  apiKeyId: query.key ?? null,
  from: dateOrNull(query.from),
  to: dateOrNull(query.to),
});

const trimmedOrNull = (text = "") => text.trim() || null;
const dateOrNull = (moment?: string) => (moment === undefined ? null : new Date(moment));

/** `name`, or `name=value`. */
function parseTag(text: string): EmailFilters["tag"] {
  const [name = "", ...rest] = text.trim().split("=");
  return { name: name.trim(), value: rest.length === 0 ? null : rest.join("=").trim() };
}
