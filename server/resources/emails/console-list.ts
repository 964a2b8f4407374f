import { z } from "zod";

import {
  type FoundEmail,
  type EmailFilters,
  WITHOUT_KEY,
} from "#server/core/sending/emails/search-emails.ts";
import { eventBit } from "#server/core/sending/events/email-events.ts";
import { EMAIL_STATES, PROBLEM_STATES } from "#server/core/sending/emails/email-input.ts";
import { COUNT_METRICS } from "#server/core/sending/metrics/metric-names.ts";
import { addressDomain, parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { momentQuery, sortQuery } from "#server/http/lists.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";

const TEXT_MAX = 200;

const text = z.string().max(TEXT_MAX).optional();

const moment = momentQuery("must be a UTC timestamp", { offset: false }).optional();

const States = z
  .string()
  .transform((states) => states.split(",").filter(Boolean))
  .pipe(z.array(z.enum(EMAIL_STATES)))
  .optional();

const EmailQuery = z.object({
  mode: z.enum(["live", "test"]).default("live"),
  /** Part of a recipient address, words of the subject, or an ID. */
  search: text,
  /** Part of a recipient address (to, cc or bcc). */
  recipient: text,
  /** Words that the subject must contain. */
  subject: text,
  status: States,
  /** An event that happened to the email at any time. */
  event: z.enum(COUNT_METRICS).optional(),
  domain: z.uuid().optional(),
  tag: z.string().max(600).optional(),
  key: z.uuid().or(z.literal(WITHOUT_KEY)).optional(),
  /** Created at or after this time. */
  from: moment,
  /** Created before this time. */
  to: moment,
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

export const emailRow = (email: FoundEmail) => ({
  id: email.id,
  to: email.to,
  furtherRecipients: email.cc.length + email.bcc.length,
  subject: email.subject,
  status: email.lastEvent,
  troubles: PROBLEM_STATES.filter(
    (type) => type !== email.lastEvent && (email.eventTypes & eventBit(type)) !== 0,
  ),
  domain: addressDomain(parseAddress(email.from)?.address ?? email.from),
  isTest: email.isTest,
  key: email.apiKey,
  moment: consoleTimestamp(
    email.lastEvent === "scheduled" && email.scheduledAt ? email.scheduledAt : email.createdAt,
  ),
});

/** For CSV. */
export const EMAIL_COLUMNS: Record<string, (email: FoundEmail) => string | null> = {
  id: ({ id }) => id,
  created_at: ({ createdAt }) => consoleTimestamp(createdAt),
  scheduled_at: ({ scheduledAt }) => scheduledAt && consoleTimestamp(scheduledAt),
  status: ({ lastEvent }) => lastEvent,
  from: ({ from }) => from,
  to: ({ to }) => to.join(", "),
  cc: ({ cc }) => cc.join(", "),
  bcc: ({ bcc }) => bcc.join(", "),
  subject: ({ subject }) => subject,
  api_key: ({ apiKey }) => apiKey,
  tags: ({ tags }) => tags.map(({ name, value }) => `${name}=${value}`).join(", "),
};
