import { apiTimestamp } from "#server/http/timestamps.ts";
import { z } from "zod";

import type { Email, EmailBody } from "#drizzle/schema/index.ts";
import { isInlineType, sentAs } from "#server/core/sending/compose/attachment-part.ts";
import { EMAIL_STATES } from "#server/core/sending/emails/email-states.ts";
import type { IdentifiedAttachment } from "#server/core/sending/emails/attachments.ts";
import type { ListedEmail } from "#server/core/sending/emails/emails.ts";
import type { Context } from "#server/core/shared/context.ts";
import { downloadUrl } from "#server/core/shared/secrets/link-token.ts";
import type { Example } from "#server/http/code-samples.ts";

const attachment = {
  id: "7a1f3c55-2c0e-5b8e-9d0a-5f0f6a1f2e77",
  filename: "invoice.pdf",
  size: 48_213,
  content_type: "application/pdf",
  content_disposition: "attachment",
  download_url: "https://mail.example.com/downloads/kq3V0cYb",
  expires_at: "2026-03-02T10:30:00.000Z",
};

/** Samples for the attachments of a sent email. */
export const attachmentExamples = (emailId: string): Record<string, Example> => ({
  "GET /emails/{id}/attachments": {
    params: { id: emailId },
    answer: { object: "list", has_more: false, data: [attachment] },
    sdk: ["emails.attachments.list", { emailId }],
  },
  "GET /emails/{id}/attachments/{attachment_id}": {
    params: { id: emailId, attachment_id: attachment.id },
    answer: { object: "attachment", ...attachment },
    sdk: ["emails.attachments.get", { emailId, id: attachment.id }],
  },
});

export const attachmentFields = {
  id: z.uuid().describe("The attachment's ID; also the pagination cursor"),
  filename: z.string().optional().describe("File name; omitted if it has none"),
  size: z.number().describe("Size in bytes"),
  content_type: z.string().describe("Media type, such as `application/pdf`"),
  content_disposition: z
    .enum(["inline", "attachment"])
    .describe("`inline` for files that the HTML references by `content_id`"),
  content_id: z.string().optional().describe("Content-ID without angle brackets, if it has one"),
  download_url: z
    .string()
    .describe(
      "URL that downloads the file without an API key until `expires_at`. Anyone who has it can",
    ),
  expires_at: z.string().describe("When `download_url` expires, an hour from now"),
};

/** An attachment in a list. */
export const AttachmentListItem = z.object(attachmentFields).meta({ id: "AttachmentInList" });

/** A single attachment. */
export const AttachmentObject = z
  .object({ object: z.literal("attachment").describe("Object type"), ...attachmentFields })
  .meta({ id: "Attachment" });

export const ATTACHMENT_NOT_FOUND = "Attachment not found";

/** An attachment of a sent email. */
export function attachmentListItem(
  ctx: Context,
  emailId: string,
  file: IdentifiedAttachment,
): z.input<typeof AttachmentListItem> {
  const { id, position, size, contentId, isShown } = file;
  const { companyId } = ctx;
  const link = downloadUrl({ kind: "sent_attachment", companyId, emailId, position }, ctx.now());
  const { type, filename } = sentAs(file, position);
  return {
    id,
    filename,
    size,
    content_type: type.name,
    content_disposition: isShown && isInlineType(type) ? "inline" : "attachment",
    content_id: contentId ?? undefined,
    download_url: link.url,
    expires_at: link.expiresAt.toISOString(),
  };
}

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

export function emailListItem(email: ListedEmail): z.input<typeof EmailListItem> {
  return {
    ...commonFields(email),
    cc: orNull(email.cc),
    bcc: orNull(email.bcc),
    reply_to: orNull(email.replyTo),
  };
}

export function emailObject({
  email,
  body,
}: {
  email: Email;
  body: Pick<EmailBody, "html" | "text"> | null;
}): z.input<typeof EmailObject> {
  return {
    ...commonFields(email),
    cc: email.cc,
    bcc: email.bcc,
    reply_to: email.replyTo,
    html: body?.html ?? null,
    text: body?.text ?? null,
    tags: email.tags,
  };
}

const EMAIL = "0198c0de-4a1b-7c3e-9f52-6d1e0b7a2c11";

const list = (...data: object[]) => ({ object: "list", has_more: false, data });

const FROM = "Northwind <hello@shop.example>";

const order = {
  from: FROM,
  to: ["ben@example.net", "gone@example.net"],
  subject: "Your order 1042",
  html: '<p>Your order has shipped.</p><p><a href="http://shop.example/1042">Follow it</a></p>',
};

/** Sample requests and responses of checks and receipts. */
export const emailExamples: Record<string, Example> = {
  "POST /emails/check": {
    body: order,
    answer: {
      object: "email_check",
      result: "errors",
      findings: [
        {
          level: "error",
          code: "recipient_suppressed",
          message:
            "gone@example.net: The address is on the suppression list because an earlier email to it bounced",
        },
        {
          level: "warning",
          code: "http_link",
          message: "The link http://shop.example/1042 isn't encrypted. Use https",
        },
      ],
      recipients: [
        {
          address: "ben@example.net",
          outcome: "deliver",
          destination: "external",
          mail_hosts: ["mx.example.net"],
          reason: null,
        },
        {
          address: "gone@example.net",
          outcome: "suppressed",
          destination: "external",
          mail_hosts: ["mx.example.net"],
          reason: "The address is on the suppression list because an earlier email to it bounced",
        },
      ],
      authentication: {
        domain: "shop.example",
        spf: "aligned",
        dkim: "aligned",
        dmarc: "quarantine",
      },
      size: 1042,
      text: "Your order has shipped.\n\nFollow it http://shop.example/1042",
      links: [{ url: "http://shop.example/1042", text: "Follow it" }],
      images: 0,
      image_details: { embedded_bytes: 0, remote: 0, without_size: 0, without_alt: 0 },
      spam: { score: 0.4, threshold: 15, rules: [] },
      wait_seconds: 0,
    },
    sdk: ["post", "/emails/check", order],
  },
  "GET /emails/{id}/receipts": {
    params: { id: EMAIL },
    answer: list({
      object: "receipt",
      id: "51709",
      issuer: "https://mail.example.com",
      email_id: EMAIL,
      message_id: `<${EMAIL}@shop.example>`,
      from: FROM,
      message_sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      recipient: "ben@example.net",
      sent_at: "2026-03-02T09:30:00.412Z",
      delivered_at: "2026-03-02T09:30:01.007Z",
      server: { name: "mx.example.net", address: "203.0.113.5" },
      tls: { version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384" },
      status: "2.0.0",
      reply: "250 2.0.0 Ok: queued as 4ZxQ1k",
      signature: "eyJhbGci…",
    }),
    sdk: ["get", `/emails/${EMAIL}/receipts`],
  },
};

function commonFields(email: ListedEmail) {
  return {
    object: "email" as const,
    id: email.id,
    message_id: email.messageId,
    to: email.to,
    from: email.from,
    created_at: apiTimestamp(email.createdAt),
    subject: email.subject,
    last_event: email.lastEvent,
    scheduled_at: email.scheduledAt === null ? null : apiTimestamp(email.scheduledAt),
  };
}
