import { z } from "zod";

import type { HeaderAddress } from "#drizzle/schema/index.ts";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { readOrigin } from "#server/core/sending/emails/read-origin.ts";
import { getEmail as get } from "#server/core/sending/emails/get-email.ts";
import {
  listAttachments,
  type ListedAttachment,
} from "#server/core/sending/emails/list-attachments.ts";
import { listRecipientOutcomes } from "#server/core/sending/emails/list-recipient-outcomes.ts";
import { formatAddress } from "#server/core/shared/addresses/parse-address.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { EmailPath, NOT_FOUND } from "./email-path.ts";
import { EmailStatus } from "./email-row.ts";
import { RecipientRow, recipientRow } from "./recipient-row.ts";

const AttachmentRow = z.object({
  position: z.number().describe("Position in the email, used in the attachment's path"),
  filename: z.string().nullable(),
  content_type: z.string().nullable(),
  content_id: z.string().nullable().describe("Set for inline attachments"),
  size: z.number().describe("Size in bytes"),
});

const addresses = z.array(z.string());

const EmailDetail = z.object({
  id: z.uuid(),
  message_id: z.string().nullable().describe("Null until the email is sent"),
  from: z.string(),
  to: addresses,
  cc: addresses,
  bcc: addresses,
  reply_to: addresses,
  subject: z.string(),
  status: EmailStatus,
  is_test: z.boolean().describe("Sent with a test key, so its delivery is simulated"),
  created_at: z.string(),
  sent_at: z.string().nullable(),
  scheduled_at: z.string().nullable(),
  tags: z.array(z.object({ name: z.string(), value: z.string() })),
  domain: z
    .object({ id: z.uuid(), name: z.string() })
    .nullable()
    .describe("Null if the domain was deleted"),
  api_key: z
    .object({ id: z.uuid(), name: z.string(), is_revoked: z.boolean() })
    .nullable()
    .describe("Null if sent from the console"),
  sent_by: z
    .string()
    .nullable()
    .describe("The admin who sent it from the console, unless removed since"),
  recipients: z.array(RecipientRow),
  attachments: z.array(AttachmentRow).describe("Empty once the content is deleted"),
  content: z
    .object({
      html: z.string().nullable(),
      text: z
        .string()
        .nullable()
        .describe("Null if generated from the HTML; empty if there is no plain-text version"),
      headers: z.record(z.string(), z.string()),
    })
    .nullable()
    .describe("Null once deleted, three days after sending"),
});

export const getEmail = defineEndpoint({
  method: "GET",
  path: "/console/api/emails/{id}",
  summary: "Retrieve an email",
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
      listRecipientOutcomes(ctx, id),
      listAttachments(ctx, id),
    ]);
    return {
      id,
      message_id: email.messageId,
      from: email.from,
      to: formatAddresses(email.to, body?.addressHeaders.to),
      cc: formatAddresses(email.cc, body?.addressHeaders.cc),
      bcc: email.bcc,
      reply_to: formatAddresses(email.replyTo, body?.addressHeaders.replyTo),
      subject: email.subject,
      status: email.lastEvent,
      is_test: email.isTest,
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

/**
 * Adds display names to bare addresses. Names are part of the content, so the bare addresses are all that is
 * left once the content is deleted.
 */
const formatAddresses = (bare: string[], named: HeaderAddress[] = []): string[] =>
  named.length === bare.length ? named.map(formatAddress) : bare;

const attachmentRow = (file: ListedAttachment): z.input<typeof AttachmentRow> => ({
  position: file.position,
  filename: file.filename,
  content_type: file.contentType,
  content_id: file.contentId,
  size: file.size,
});
