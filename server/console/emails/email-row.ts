import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { domainOf, parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { EMAIL_STATES, TROUBLES } from "#server/core/sending/emails/email-states.ts";
import { eventBit } from "#server/core/sending/events/event-bits.ts";
import type { FoundEmail } from "#server/core/sending/emails/search-emails.ts";

/** The state of an email: the type of its newest event. */
export const EmailStatus = z.enum(EMAIL_STATES);

/** An email in the list. */
export const EmailRow = z.object({
  id: z.uuid(),
  to: z.array(z.string()),
  /** Recipients in cc and bcc. */
  further_recipients: z.number(),
  subject: z.string(),
  status: EmailStatus,
  troubles: z
    .array(z.enum(TROUBLES))
    .describe("What befell some recipient, where the newest event does not say so"),
  domain: z.string().describe("Of the sender's address"),
  key: z.string().nullable().describe("Name of the API key; null: sent without one"),
  moment: z.string().describe("When it was sent; of a scheduled email, when it is due"),
});

export function emailRow(email: FoundEmail): z.input<typeof EmailRow> {
  return {
    id: email.id,
    to: email.to,
    further_recipients: email.cc.length + email.bcc.length,
    subject: email.subject,
    status: email.lastEvent,
    troubles: TROUBLES.filter(
      (type) => type !== email.lastEvent && (email.eventTypes & eventBit(type)) !== 0,
    ),
    domain: domainOf(parseAddress(email.from)?.address ?? email.from),
    key: email.apiKey,
    moment: consoleTimestamp(
      email.lastEvent === "scheduled" && email.scheduledAt ? email.scheduledAt : email.createdAt,
    ),
  };
}
