import { v7 as uuidv7 } from "uuid";

import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { KeyLock } from "#server/core/sending/idempotency/acquire-key.ts";
import { headerEnd } from "#server/core/shared/mime/header-fields.ts";
import { withFields } from "#server/core/shared/mime/edit-parts.ts";
import { loadAttachments } from "#server/core/sending/outbox/load-attachments.ts";
import { loadSource } from "#server/core/sending/outbox/load-source.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import type { EmailInput, EmailSource } from "./email-input.ts";
import { getEmail } from "./get-email.ts";
import { sendFromConsole } from "./send-from-console.ts";

/**
 * Sends an email of the company again, at once, as a new email with the same content, attachments and
 * recipients. Recipients suppressed by now are skipped as usual.
 *
 * @throws Refusal `not_found`; `invalid` for a test email, and once its content is deleted; all that `sendFromConsole`
 *   throws
 */
export async function resendEmail(
  ctx: Context,
  id: string,
  keyLock: KeyLock | null = null,
): Promise<{ id: string }> {
  return sendFromConsole(ctx, await loadInput(ctx, id), keyLock);
}

/** The input that would send this email. */
async function loadInput(ctx: Context, id: string): Promise<EmailInput> {
  const { email, body } = await getEmail(ctx, id);
  // A resent copy would really be delivered: emails from the console are live.
  if (email.isTest)
    throw new Refusal("invalid", "A test email can't be resent. Send it again with the test key");
  if (!body)
    throw new Refusal(
      "invalid",
      "The content of this email is no longer stored, so it can't be resent",
    );
  const source = await loadSource(ctx.db, id);
  const { from: fromAddress, to, cc, bcc = [], replyTo } = body.addressHeaders;
  return {
    from: email.from,
    fromAddress,
    ...{ to, cc, replyTo },
    bcc: email.bcc.map(
      (address) => bcc.find((hidden) => hidden.address === address) ?? { name: "", address },
    ),
    subject: email.subject,
    ...{ html: body.html, text: body.text, headers: body.headers },
    tags: email.tags,
    scheduledAt: null,
    attachments: await loadAttachments(ctx.db, id),
    ...(source && { source: withNewDate(source, addressDomain(fromAddress.address), ctx.now()) }),
  };
}

/** The message with a new Date and Message-ID, since mailboxes drop repeated Message-IDs. */
function withNewDate(message: Buffer, domain: string, now: Date): EmailSource {
  const end = headerEnd(message);
  const messageId = `<${uuidv7()}@${domain}>`;
  const date = now.toUTCString().replace("GMT", "+0000");
  const header = withFields(message.subarray(0, end), { Date: date, "Message-ID": messageId });
  return { content: Buffer.concat([header, message.subarray(end)]), messageId };
}
