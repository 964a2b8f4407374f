import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { addressDomain, parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { EMAIL_STATES, PROBLEM_STATES } from "#server/core/sending/emails/email-states.ts";
import { eventBit } from "#server/core/sending/events/event-type-bits.ts";
import type { FoundEmail } from "#server/core/sending/emails/search-emails.ts";

/** An email's status is the type of its newest event. */
export const EmailStatus = z.enum(EMAIL_STATES);

export const EmailRow = z.object({
  id: z.uuid(),
  to: z.array(z.string()),
  further_recipients: z.number().describe("Number of cc and bcc recipients"),
  subject: z.string(),
  status: EmailStatus,
  troubles: z
    .array(z.enum(PROBLEM_STATES))
    .describe("Problems with some recipients that the status doesn't show"),
  domain: z.string().describe("Domain of the sender's address"),
  is_test: z.boolean().describe("Sent with a test key, so its delivery was simulated"),
  key: z.string().nullable().describe("Name of the API key; null if sent from the console"),
  moment: z
    .string()
    .describe("When the email was created or, if it is scheduled, when it will be sent"),
});

export function emailRow(email: FoundEmail): z.input<typeof EmailRow> {
  return {
    id: email.id,
    to: email.to,
    further_recipients: email.cc.length + email.bcc.length,
    subject: email.subject,
    status: email.lastEvent,
    troubles: PROBLEM_STATES.filter(
      (type) => type !== email.lastEvent && (email.eventTypes & eventBit(type)) !== 0,
    ),
    domain: addressDomain(parseAddress(email.from)?.address ?? email.from),
    is_test: email.isTest,
    key: email.apiKey,
    moment: consoleTimestamp(
      email.lastEvent === "scheduled" && email.scheduledAt ? email.scheduledAt : email.createdAt,
    ),
  };
}
