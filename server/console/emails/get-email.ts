import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { readOrigin } from "#server/core/sending/emails/read-origin.ts";
import { getEmail as get } from "#server/core/sending/emails/get-email.ts";
import { listAttachments } from "#server/core/sending/emails/list-attachments.ts";
import { recipientOutcomes } from "#server/core/sending/emails/recipient-outcomes.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { AttachmentRow, attachmentRow } from "./attachment-row.ts";
import { EmailPath, NOT_FOUND } from "./email-path.ts";
import { EmailStatus } from "./email-row.ts";
import { RecipientRow, recipientRow } from "./recipient-row.ts";
import { withNames } from "./with-names.ts";

const addresses = z.array(z.string());

const EmailDetail = z.object({
  id: z.uuid(),
  message_id: z.string().nullable().describe("Null until handed to the mail server"),
  from: z.string(),
  to: addresses,
  cc: addresses,
  bcc: addresses,
  reply_to: addresses,
  subject: z.string(),
  status: EmailStatus,
  created_at: z.string(),
  sent_at: z.string().nullable(),
  scheduled_at: z.string().nullable(),
  tags: z.array(z.object({ name: z.string(), value: z.string() })),
  domain: z
    .object({ id: z.uuid(), name: z.string() })
    .nullable()
    .describe("Null once it is deleted"),
  api_key: z
    .object({ id: z.uuid(), name: z.string(), is_revoked: z.boolean() })
    .nullable()
    .describe("Null: sent without one"),
  sent_by: z.string().nullable().describe("Who sent it from the console"),
  recipients: z.array(RecipientRow),
  attachments: z.array(AttachmentRow).describe("Kept as long as the content"),
  content: z
    .object({
      html: z.string().nullable(),
      text: z.string().nullable().describe("Null: made from html; empty: none was sent"),
      headers: z.record(z.string(), z.string()),
    })
    .nullable()
    .describe("Kept for three days after sending"),
});

export const getEmail = defineEndpoint({
  method: "GET",
  path: "/console/api/emails/{id}",
  summary: "Read an email",
  permission: "console",
  privilege: "api_controls",
  params: EmailPath,
  notFound: NOT_FOUND,
  response: EmailDetail,
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id } }) => {
    const [{ email, body }, origin, recipients, attachments] = await Promise.all([
      get(ctx, id),
      readOrigin(ctx, id),
      recipientOutcomes(ctx, id),
      listAttachments(ctx, id),
    ]);
    return {
      id,
      message_id: email.messageId,
      from: email.from,
      to: withNames(email.to, body?.addressHeaders.to),
      cc: withNames(email.cc, body?.addressHeaders.cc),
      bcc: email.bcc,
      reply_to: withNames(email.replyTo, body?.addressHeaders.replyTo),
      subject: email.subject,
      status: email.lastEvent,
      created_at: consoleTimestamp(email.createdAt),
      sent_at: email.sentAt && consoleTimestamp(email.sentAt),
      scheduled_at: email.scheduledAt && consoleTimestamp(email.scheduledAt),
      tags: email.tags,
      domain: origin.domain,
      api_key: origin.apiKey && {
        id: origin.apiKey.id,
        name: origin.apiKey.name,
        is_revoked: origin.apiKey.isRevoked,
      },
      sent_by: origin.sentBy,
      recipients: recipients.map(recipientRow),
      attachments: attachments.map(attachmentRow),
      content: body && { html: body.html, text: body.text, headers: body.headers },
    };
  },
});
