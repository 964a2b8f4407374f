import { config } from "#server/config.ts";
import { composeMessage } from "#server/core/sending/compose/compose-message.ts";
import { campaignOf, sentHeaders } from "#server/core/sending/compose/sent-headers.ts";
import { findSuppressed } from "#server/core/sending/suppressions/find-suppressed.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isTestMode } from "#server/core/shared/mode.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { acceptEmails } from "./accept-emails.ts";
import type { EmailInput } from "./email-input.ts";
import { uniqueRecipients } from "./internal/recipients.ts";
import type { SendingKey } from "./internal/sending-key.ts";

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
      ...{ companyId, key, emails: [input], keyLock: null, toAnswer: () => null },
      ...{ allOrNone: true, validateOnly: true },
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
    ...{ companyId: ctx.companyId, emailId: ID, recipients, baseUrl: config().baseUrl },
    isTest: isTestMode(ctx),
    campaign: campaignOf(tags),
  };
  return composeMessage({
    ...{ messageId: MESSAGE_ID, date: ctx.now(), subject, html, text, attachments },
    addressHeaders: { from, to, cc, replyTo },
    headers: sentHeaders(input.headers, target),
    tracking: null,
  });
}
