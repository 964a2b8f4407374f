import { config } from "#server/config.ts";
import { composeMessage } from "#server/core/sending/compose/compose-message.ts";
import { campaignOf, sentHeaders } from "#server/core/sending/compose/sent-headers.ts";
import { trackSource } from "#server/core/sending/compose/track-source.ts";
import type { Context } from "#server/core/shared/context.ts";
import { loadAttachments } from "#server/core/sending/outbox/load-attachments.ts";
import { loadSource } from "#server/core/sending/outbox/load-source.ts";
import { unsubscribeSource } from "#server/core/sending/unsubscribe/hosted-unsubscribe.ts";
import { findTrackingHost, linkBase } from "#server/core/platform/certificates/tracking-hosts.ts";
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
  const { addressHeaders, html, text } = body;
  const { subject, isTest, openTracking: opens, clickTracking: clicks } = email;
  const baseUrl = await findLinkBase(ctx, email);
  const tracking = opens || clicks ? { emailId: id, baseUrl, opens, clicks } : null;
  const recipients = [...new Set([...email.to, ...email.cc, ...email.bcc])];
  const target = { companyId: ctx.companyId, emailId: id, recipients, baseUrl, isTest };
  const stored = await loadSource(ctx.db, id);
  if (stored) {
    const source = unsubscribeSource(stored, body.headers, target);
    return tracking ? trackSource(source, tracking) : source;
  }
  const headers = sentHeaders(body.headers, { ...target, campaign: campaignOf(email.tags) });
  return composeMessage({
    messageId: email.messageId ?? PLACEHOLDER_MESSAGE_ID,
    date: new Date(email.sentAt ?? email.scheduledAt ?? email.createdAt),
    ...{ addressHeaders, subject, html, text, headers },
    attachments: await loadAttachments(ctx.db, id),
    tracking,
  });
}

/** Where links lead that are composed now. */
async function findLinkBase(
  { db }: Context,
  { domainId }: { domainId: string | null },
): Promise<string> {
  const { baseUrl } = config();
  return domainId === null
    ? baseUrl
    : linkBase(baseUrl, await findTrackingHost(db, domainId, config()));
}
