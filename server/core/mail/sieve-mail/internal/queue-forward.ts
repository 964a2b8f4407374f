import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { fieldValue } from "#server/core/shared/mime/header-fields.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import { addArcSeal } from "#server/core/mail/authentication/arc-seal.ts";
import { isForwardSuspended } from "#server/core/mailboxes/mailbox-rules/suspended-forwards.ts";
import { resolveOutgoing } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { acceptMessage } from "#server/core/sending/messages/accept-message.ts";
import { requireAllowedRecipients } from "#server/core/mail/submission/require-recipient.ts";
import type { Db } from "#server/db/client.ts";

import type { ScriptedMailbox } from "./find-scripted-mailbox.ts";
import { SieveMailRejected } from "#server/core/mail/sieve-mail/sieve-mail-rejected.ts";
import { requireUnderHourlyLimit } from "./require-under-hourly-limit.ts";
import type { SieveMail } from "#server/core/mail/sieve-mail/queue-sieve-mail.ts";

/** RFC 5321, 6.3. */
const HOPS_MAX = 50;

/**
 * Queues a forward with an unchanged body. Forwards that leave the company are ARC-sealed with the authentication
 * results from their arrival. A forward that can't be delivered is returned to the mailbox.
 */
export async function queueForward(
  db: Db,
  mailbox: ScriptedMailbox,
  { recipient, message }: SieveMail,
): Promise<void> {
  const parsed = parseAddress(recipient);
  if (!parsed) throw new SieveMailRejected("Invalid email address");
  const { address: target, written } = parsed;
  const known = (await resolveOutgoing(db, [target])).get(target);
  if (known?.kind === "mailbox" && known.mailbox === mailbox.address)
    throw new SieveMailRejected("A mailbox can't forward to itself");
  requireNoLoop(message, { mailbox: mailbox.address, target });
  await requireAllowedRecipients(db, mailbox, [target]);
  if (await isForwardSuspended(db, mailbox.address, target))
    throw new SieveMailRejected("Forwarding to this address is suspended");

  const isSealed = known?.companyId !== mailbox.companyId;
  const { domainId, companyId } = mailbox;
  const onward = isSealed ? await addArcSeal(db, message, { domainId }) : message.raw;
  const { headerFrom, subject, messageId } = message.header;
  await db.transaction(async (tx) => {
    await requireUnderHourlyLimit(tx, mailbox.address, "forward");
    await acceptMessage(tx, {
      ...{ companyId, origin: "forward", mailbox: mailbox.address, groupAddress: null },
      ...{ sender: mailbox.address, isSenderTold: true, signingDomainId: null },
      ...{ content: onward, headerFrom, subject, messageId, clientAddress: null },
      recipients: [{ address: target, written, isHeld: mailbox.isHeld }],
    });
  });
}

/** @throws SieveMailRejected if the message has already been at the target, or loops */
function requireNoLoop(
  message: Message,
  { mailbox, target }: { mailbox: string; target: string },
): void {
  // Pigeonhole just added the first two.
  const fields = message.fields.slice(2);
  const has = (name: string, value: string) =>
    fields.some(
      (field) => field.name === name && fieldValue(message.raw, field).toLowerCase() === value,
    );
  if (has("delivered-to", target))
    throw new SieveMailRejected("The message was already delivered to that address");
  if (has("x-sieve-redirected-from", mailbox))
    throw new SieveMailRejected("The message was already forwarded from this mailbox");
  if (fields.filter(({ name }) => name === "received").length > HOPS_MAX)
    throw new SieveMailRejected("The message has passed too many servers");
}
