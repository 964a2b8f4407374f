import { SmtpReply } from "#mail/mx/smtp-reply.ts";
import { requireKey } from "#mail/submission/sign-in.ts";
import type { SessionUser } from "#mail/submission/session-user.ts";
import { EmailFields } from "#server/api/emails/email-fields.ts";
import type { Context } from "#server/core/context.ts";
import { sendEmail } from "#server/core/emails/send-email.ts";
import { readHeaderFields } from "#server/core/submission/header-fields.ts";
import { readAuthor } from "#server/core/submission/read-author.ts";
import type { Db } from "#server/db/client.ts";
import { tryParse } from "#server/http/parse.ts";

import { readEmailBody } from "./read-email-body.ts";

/** The rules for From are those of mailboxes, but that the API knows the company's domains itself. */
const HEADER_OCTETS_MAX = 64 * 1024;

/**
 * Sends what came with an API key as an email of the API: the same checks, limits, events and tracking.
 * What the API has no field for (trace and structural fields) does not survive.
 *
 * @param recipients of the envelope: nobody else gets it, whatever the header says
 * @throws Refusal, NotSubmitted, SmtpReply
 */
export async function sendAsEmail(
  db: Db,
  content: Buffer,
  {
    user,
    recipients,
    clientAddress,
  }: {
    user: Extract<SessionUser, { kind: "key" }>;
    recipients: string[];
    clientAddress: string;
  },
): Promise<{ id: string }> {
  const key = await requireKey(db, { token: user.token, clientAddress });
  const { fields, rest } = readHeaderFields(content);
  if (content.length - rest.length > HEADER_OCTETS_MAX)
    throw new SmtpReply(554, "5.6.0", "The header of the message is too large");
  const { from } = readAuthor(fields);
  const body = await readEmailBody(content, { from, recipients: new Set(recipients) });
  const read = tryParse(EmailFields, body, ["missing_required_field"]);
  if ("refusal" in read) throw read.refusal;
  const ctx: Context = {
    db,
    companyId: key.companyId,
    actor: { kind: "api_key", keyId: key.keyId, keyName: key.keyName, adminId: key.adminId },
    now: () => new Date(),
  };
  return sendEmail(ctx, key, read.data);
}
