import { config } from "#server/config.ts";
import {
  findTrackingHost,
  linkBase,
} from "#server/core/platform/certificates/certificate-names.ts";
import {
  campaignOf,
  composeMessage,
  sentHeaders,
} from "#server/core/sending/compose/compose-message.ts";
import { trackSource } from "#server/core/sending/compose/track-source.ts";
import { loadAttachments, loadSource } from "#server/core/sending/outbox/queue-rows.ts";
import { findSuppressed } from "#server/core/sending/suppressions/suppressed.ts";
import { unsubscribeSource } from "#server/core/sending/unsubscribe/hosted-unsubscribe.ts";
import { type Context, isTestMode } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { acceptEmails } from "./accept-emails.ts";
import type { EmailInput } from "./email-input.ts";
import { getEmail } from "./emails.ts";
import { type SendingKey, uniqueRecipients } from "./internal/email-request.ts";

/** What sending an email would do. */
export type EmailPreview = {
  /** Why it would be refused, or recorded as failed; null if it would be sent. */
  problem: string | null;
  /** Each address once. */
  recipients: string[];
  /** Why recipients would be skipped, by address. */
  suppressed: Map<string, string>;
  /** As it would be sent, but for the tracked links and the DKIM signature. */
  message: Buffer;
};

/** Stand for what an email gets when it is accepted. */
const ID = "00000000-0000-7000-8000-000000000000";

const MESSAGE_ID = `<${ID}@posthouse.invalid>`;

/**
 * Finds out what `sendEmail` would do with an email. Stores and sends nothing.
 *
 * @param key null for an email of the console
 */
export async function previewEmail(
  ctx: Context,
  key: SendingKey | null,
  input: EmailInput,
): Promise<EmailPreview> {
  const recipients = uniqueRecipients(input);
  const { companyId } = ctx;
  const [problem, suppressed, message] = await Promise.all([
    findProblem(ctx, key, input),
    findSuppressed(
      ctx.db,
      recipients.map((email) => ({ companyId, email })),
    ),
    compose(ctx, input, recipients),
  ]);
  const reasons = new Map(suppressed.map(({ email, reason }) => [email, reason]));
  return { problem, recipients, suppressed: reasons, message };
}

async function findProblem(
  { db, companyId }: Context,
  key: SendingKey | null,
  input: EmailInput,
): Promise<string | null> {
  try {
    const [result] = await acceptEmails(db, {
      companyId,
      key,
      emails: [input],
      keyLock: null,
      toAnswer: () => null,
      allOrNone: true,
      validateOnly: true,
    });
    return "refusal" in result! ? result.refusal.message : (result?.failed ?? null);
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

function compose(ctx: Context, input: EmailInput, recipients: string[]): Promise<Buffer> {
  const { subject, html, text, attachments, tags } = input;
  const { fromAddress: from, to, cc, replyTo } = input;
  const target = {
    companyId: ctx.companyId,
    emailId: ID,
    recipients,
    baseUrl: config().baseUrl,
    isTest: isTestMode(ctx),
    campaign: campaignOf(tags),
  };
  return composeMessage({
    messageId: MESSAGE_ID,
    date: ctx.now(),
    subject,
    html,
    text,
    attachments,
    addressHeaders: { from, to, cc, replyTo },
    headers: sentHeaders(input.headers, target),
    tracking: null,
  });
}

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
    addressHeaders,
    subject,
    html,
    text,
    headers,
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
