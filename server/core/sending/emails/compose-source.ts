import { config } from "#server/config.ts";
import { composeMessage } from "#server/core/sending/compose/compose-message.ts";
import { trackSource } from "#server/core/sending/compose/track-source.ts";
import type { Context } from "#server/core/shared/context.ts";
import { loadAttachments } from "#server/core/sending/outbox/load-attachments.ts";
import { loadSource } from "#server/core/sending/outbox/load-source.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { getEmail } from "./get-email.ts";

/** Stands for the Message-ID until the email is sent. */
const PLACEHOLDER_MESSAGE_ID = "<not-yet-sent@posthouse.invalid>";

/**
 * Returns the message of an email of the company, byte for byte as the worker sends it but for the DKIM
 * signature, which each attempt adds. Before the email is sent, Date and Message-ID are placeholders.
 *
 * @throws Refusal `not_found`; `invalid` once its content is deleted
 */
export async function composeSource(ctx: Context, id: string): Promise<Buffer> {
  const { email, body } = await getEmail(ctx, id);
  if (!body) throw new Refusal("invalid", "The content of this email is no longer stored");
  const { addressHeaders, html, text, headers } = body;
  const { subject, openTracking: opens, clickTracking: clicks } = email;
  const tracking =
    opens || clicks ? { emailId: id, baseUrl: config().baseUrl, opens, clicks } : null;
  const source = await loadSource(ctx.db, id);
  if (source) return tracking ? trackSource(source, tracking) : source;
  return composeMessage({
    messageId: email.messageId ?? PLACEHOLDER_MESSAGE_ID,
    date: new Date(email.sentAt ?? email.scheduledAt ?? email.createdAt),
    ...{ addressHeaders, subject, html, text, headers },
    attachments: await loadAttachments(ctx.db, id),
    tracking,
  });
}
