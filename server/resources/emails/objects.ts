import { apiTimestamp } from "#server/http/timestamps.ts";
import { z } from "zod";

import type { Email, EmailBody } from "#drizzle/schema/index.ts";
import { EMAIL_STATES } from "#server/core/sending/emails/email-input.ts";
import type { ListedEmail } from "#server/core/sending/emails/emails.ts";

const common = {
  object: z.literal("email").describe("Object type"),
  id: z.uuid().describe("The email's ID; also the pagination cursor"),
  message_id: z
    .string()
    .nullable()
    .describe(
      "`Message-ID` header, in angle brackets; null until the mail server accepts the email",
    ),
  to: z.array(z.string()).describe("Recipients: lowercase addresses without display names"),
  from: z.string().describe("Sender as provided, including a display name"),
  created_at: z.string().describe("When the email was accepted"),
  subject: z.string().describe("Subject line"),
  last_event: z.enum(EMAIL_STATES).describe("Type of the email's latest event"),
  scheduled_at: z
    .string()
    .nullable()
    .describe("When the email is or was due; null if it was not scheduled"),
};

const addressesOrNull = z
  .array(z.string())
  .nullable()
  .describe("Lowercase addresses; null if there are none");

const addresses = z.array(z.string()).describe("Lowercase addresses; empty if there are none");

const REPLY_TO = "Addresses for replies as provided, without display names";

/** An email in a list. */
export const EmailListItem = z
  .object({
    ...common,
    cc: addressesOrNull,
    bcc: addressesOrNull,
    reply_to: addressesOrNull.describe(`${REPLY_TO}; null if there are none`),
  })
  .meta({ id: "EmailInList" });

/** A single email. */
export const EmailObject = z
  .object({
    ...common,
    cc: addresses,
    bcc: addresses,
    reply_to: addresses.describe(`${REPLY_TO}; empty if there are none`),
    html: z.string().nullable().describe("HTML version; null once deleted, 3 days after sending"),
    text: z
      .string()
      .nullable()
      .describe("Plain-text version as provided; null once deleted, 3 days after sending"),
    tags: z
      .array(
        z.object({
          name: z.string().describe("Name of the tag"),
          value: z.string().describe("Value of the tag"),
        }),
      )
      .describe("Tags as provided"),
  })
  .meta({ id: "Email" });

/** The response to a change of an email. */
export const EmailReference = z
  .object({ object: common.object, id: z.uuid().describe("The email's ID") })
  .meta({ id: "EmailReference" });

const orNull = (list: string[]) => (list.length > 0 ? list : null);

export const emailListItem = (email: ListedEmail): z.input<typeof EmailListItem> => ({
  ...commonFields(email),
  cc: orNull(email.cc),
  bcc: orNull(email.bcc),
  reply_to: orNull(email.replyTo),
});

export const emailObject = ({
  email,
  body,
}: {
  email: Email;
  body: Pick<EmailBody, "html" | "text"> | null;
}): z.input<typeof EmailObject> => ({
  ...commonFields(email),
  cc: email.cc,
  bcc: email.bcc,
  reply_to: email.replyTo,
  html: body?.html ?? null,
  text: body?.text ?? null,
  tags: email.tags,
});

const commonFields = (email: ListedEmail) => ({
  object: "email" as const,
  id: email.id,
  message_id: email.messageId,
  to: email.to,
  from: email.from,
  created_at: apiTimestamp(email.createdAt),
  subject: email.subject,
  last_event: email.lastEvent,
  scheduled_at: email.scheduledAt === null ? null : apiTimestamp(email.scheduledAt),
});
