import type { ReceivedEmail } from "#drizzle/schema/index.ts";
import { attachmentId } from "#server/core/sending/emails/attachment-id.ts";
import type { Context } from "#server/core/shared/context.ts";
import { publishEvent } from "#server/core/webhooks/events/publish-event.ts";

import { contentDisposition } from "#server/core/mail/received/list-received.ts";
import type { ParsedFile } from "./parse-content.ts";

const PAYLOAD_BYTES_MAX = 256 * 1024;
/** Limit per field, for an event that would be larger. */
const ADDRESSES_MAX = 20;

type File = Pick<ParsedFile, "filename" | "contentType" | "isInline" | "contentId">;

/**
 * Publishes `email.received`, without bodies: receivers retrieve them from the API. Call it in the transaction that
 * stores what was parsed.
 */
export async function publishReceived(
  ctx: Context,
  email: ReceivedEmail,
  files: readonly File[],
): Promise<void> {
  const data = {
    email_id: email.id,
    created_at: new Date(email.createdAt).toISOString(),
    from: email.headerFrom,
    ...{ to: email.to, cc: email.cc, bcc: email.bcc, received_for: email.receivedFor },
    message_id: email.messageId ?? "",
    subject: email.subject,
    attachments: files.map(({ filename, contentType, isInline, contentId }, position) => ({
      id: attachmentId(email.id, position),
      filename,
      content_type: contentType,
      content_disposition: contentDisposition({ isInline }),
      content_id: contentId,
    })),
    authentication: { spf: email.spf, dkim: email.dkim, dmarc: email.dmarc },
    spam: { is_spam: email.isSpam, score: email.spamScore },
    replied_email_id: email.repliedEmailId,
  };
  const isTooLarge = Buffer.byteLength(JSON.stringify(data)) > PAYLOAD_BYTES_MAX;
  await publishEvent(ctx, "email.received", isTooLarge ? cutDown(data) : data);
}

const cutDown = <Data extends Record<"to" | "cc" | "bcc" | "received_for", string[]>>(
  data: Data,
) => ({
  ...data,
  to: data.to.slice(0, ADDRESSES_MAX),
  cc: data.cc.slice(0, ADDRESSES_MAX),
  bcc: data.bcc.slice(0, ADDRESSES_MAX),
  received_for: data.received_for.slice(0, ADDRESSES_MAX),
  attachments: [],
});
