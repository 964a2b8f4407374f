import { z } from "zod";

import { attachmentFields } from "#server/api/emails/attachment-object.ts";
import { apiTimestamp } from "#server/api/timestamp.ts";
import type { ReceivedBody } from "#server/core/mail/received/get-received.ts";
import {
  contentDisposition,
  type ListedReceived,
  type ReceivedFile,
} from "#server/core/mail/received/list-received.ts";
import type { Context } from "#server/core/shared/context.ts";
import { downloadUrl } from "#server/core/shared/secrets/download-link.ts";

export const RECEIVED_NOT_FOUND = "Received email not found";
export const ReceivedPath = z.object({ id: z.uuid().describe("The received email's ID") });

const addresses = z.array(z.string()).nullable().describe("Addresses; null if there are none");

const receivedDisposition = z
  .enum(["inline", "attachment"])
  .nullable()
  .describe(
    "From Content-Disposition; without it, `inline` if the HTML references the file, otherwise null",
  );

/** An attachment of a received email, in a list. */
export const ReceivedAttachmentItem = z
  .object({ ...attachmentFields, content_disposition: receivedDisposition })
  .meta({ id: "ReceivedAttachmentInList" });

/** A single attachment of a received email. */
export const ReceivedAttachment = z
  .object({
    object: z.literal("attachment").describe("Object type"),
    ...attachmentFields,
    content_disposition: receivedDisposition,
  })
  .meta({ id: "ReceivedAttachment" });

const AttachmentSummary = z.object({
  id: attachmentFields.id,
  filename: z.string().nullable().describe("File name; null if it has none"),
  size: attachmentFields.size,
  content_type: attachmentFields.content_type,
  content_id: z.string().nullable().describe("Content-ID without angle brackets; null without"),
  content_disposition: receivedDisposition,
});

const fields = {
  id: z.uuid().describe("The received email's ID; also the pagination cursor"),
  to: z.array(z.string()).describe("Addresses in the To header"),
  from: z
    .string()
    .describe(
      "The From header, decoded, with names quoted where needed. It can be forged: see `authentication`",
    ),
  created_at: z.string().describe("When the email was received"),
  subject: z.string().describe("Subject line; empty if there is none"),
  bcc: addresses,
  cc: addresses,
  reply_to: addresses,
  received_for: z.array(z.string()).describe("Your addresses that the email was sent to"),
  message_id: z.string().describe("`Message-ID` header, in angle brackets; empty if there is none"),
  attachments: z.array(AttachmentSummary).describe("The attachments, without their content"),
  authentication: z
    .object({
      spf: z.string().nullable().describe("Result of SPF, such as `pass` or `softfail`"),
      dkim: z.string().nullable().describe("`pass` if any signature is valid"),
      dmarc: z.string().nullable().describe("`pass` means that the domain in `from` is genuine"),
    })
    .describe(
      "What the server found on arrival; null for mail from this server, which isn't checked",
    ),
  spam: z
    .object({
      is_spam: z
        .boolean()
        .describe("Whether mail to a mailbox would have gone to Junk or quarantine"),
      score: z.number().nullable().describe("The spam filter's score; null without one"),
    })
    .describe("Verdict of the spam filter"),
  replied_email_id: z
    .uuid()
    .nullable()
    .describe("ID of the sent email that this is a reply to; null if it isn't"),
};

/** A received email in a list. */
export const ReceivedListItem = z.object(fields).meta({ id: "ReceivedEmailInList" });

/** A single received email. */
export const ReceivedObject = z
  .object({
    object: z.literal("email").describe("Object type"),
    ...fields,
    html: z
      .string()
      .nullable()
      .describe("HTML version as received, up to 2 MB. Untrusted: sanitize it before you show it"),
    text: z.string().nullable().describe("Plain-text version as received, up to 2 MB"),
    headers: z
      .record(z.string(), z.string())
      .describe("Header fields by lowercase name; the values of repeated fields are joined"),
    raw: z
      .object({
        download_url: attachmentFields.download_url,
        expires_at: attachmentFields.expires_at,
      })
      .describe("The whole message, to download"),
  })
  .meta({ id: "ReceivedEmail" });

const orNull = (list: string[]) => (list.length > 0 ? list : null);

export function receivedListItem(email: ListedReceived): z.input<typeof ReceivedListItem> {
  const { id, to, headerFrom: from, subject, receivedFor, messageId } = email;
  return {
    ...{ id, to, from, created_at: apiTimestamp(email.createdAt), subject },
    ...{ bcc: orNull(email.bcc), cc: orNull(email.cc), reply_to: orNull(email.replyTo) },
    received_for: receivedFor,
    message_id: messageId ?? "",
    attachments: email.files.map(attachmentSummary),
    authentication: { spf: email.spf, dkim: email.dkim, dmarc: email.dmarc },
    spam: { is_spam: email.isSpam, score: email.spamScore },
    replied_email_id: email.repliedEmailId,
  };
}

const attachmentSummary = (file: ReceivedFile): z.input<typeof AttachmentSummary> => ({
  ...{ id: file.id, filename: file.filename, size: file.size, content_type: file.contentType },
  content_id: file.contentId,
  content_disposition: contentDisposition(file),
});

export function receivedObject(
  ctx: Context,
  email: ListedReceived & ReceivedBody,
): z.input<typeof ReceivedObject> {
  const { html, text, headers } = email;
  const raw = linkTo(ctx, { kind: "received_message", emailId: email.id, position: 0 });
  return { object: "email" as const, ...receivedListItem(email), html, text, headers, raw };
}

/** An attachment of a received email. */
export function receivedAttachment(ctx: Context, emailId: string, file: ReceivedFile) {
  const { id, filename, size, contentType, contentId, position } = file;
  return {
    ...{ id, filename: filename ?? undefined, size, content_type: contentType },
    content_disposition: contentDisposition(file),
    content_id: contentId ?? undefined,
    ...linkTo(ctx, { kind: "received_attachment", emailId, position }),
  } as const;
}

type File = Omit<Parameters<typeof downloadUrl>[0], "companyId">;

function linkTo({ companyId, now }: Context, file: File) {
  const { url, expiresAt } = downloadUrl({ ...file, companyId }, now());
  return { download_url: url, expires_at: expiresAt.toISOString() };
}
