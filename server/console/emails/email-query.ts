import { z } from "zod";

import { momentQuery } from "#server/console/moment-query.ts";

import { EMAIL_STATES } from "#server/core/sending/emails/email-states.ts";
import { type EmailFilters, NO_KEY } from "#server/core/sending/emails/email-filters.ts";
import { COUNT_METRICS } from "#server/core/sending/metrics/metric-names.ts";

const TEXT_MAX = 200;
const text = z.string().max(TEXT_MAX).optional();
const moment = momentQuery("must be a moment in UTC", { offset: false }).optional();

const States = z
  .string()
  .transform((states) => states.split(",").filter(Boolean))
  .pipe(z.array(z.enum(EMAIL_STATES)))
  .optional();

/** Which emails a list shows, as its URL says it. */
export const EmailQuery = z.object({
  recipient: text.describe("Part of an address in to, cc or bcc"),
  subject: text.describe("Words that all stand in the subject"),
  status: States.describe("States, with commas between them"),
  event: z.enum(COUNT_METRICS).optional().describe("An event that they had at any time"),
  domain: z.uuid().optional().describe("Id of the sending domain"),
  tag: z.string().max(600).optional().describe("A tag's name, or name=value"),
  key: z.uuid().or(z.literal(NO_KEY)).optional().describe("Id of an API key; none: sent here"),
  from: moment.describe("Accepted at this moment or later"),
  to: moment.describe("Accepted before this moment"),
});

export const emailFilters = (query: z.output<typeof EmailQuery>): EmailFilters => ({
  recipient: givenText(query.recipient),
  subject: givenText(query.subject),
  states: query.status ?? [],
  event: query.event ?? null,
  domainId: query.domain ?? null,
  tag: query.tag ? tagOf(query.tag) : null,
  apiKeyId: query.key ?? null,
  from: givenMoment(query.from),
  to: givenMoment(query.to),
});

const givenText = (text = "") => text.trim() || null;
const givenMoment = (moment?: string) => (moment === undefined ? null : new Date(moment));

/** `name`, or `name=value`. */
function tagOf(text: string): EmailFilters["tag"] {
  const [name = "", ...rest] = text.trim().split("=");
  return { name: name.trim(), value: rest.length === 0 ? null : rest.join("=").trim() };
}
