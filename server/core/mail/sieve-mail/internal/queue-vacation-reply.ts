import { parseSystemAddress } from "#server/core/mail/incoming/system-address.ts";
import { readReversePath } from "#server/core/shared/addresses/reverse-path.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { acceptMessage } from "#server/core/sending/messages/accept-message.ts";
import { requireOwnAddress } from "#server/core/mail/submission/require-own-address.ts";
import { requireAllowedRecipients } from "#server/core/mail/submission/require-recipient.ts";
import { config } from "#server/config.ts";
import type { Db } from "#server/db/client.ts";

import type { ScriptedMailbox } from "./find-scripted-mailbox.ts";
import { SieveMailRejected } from "#server/core/mail/sieve-mail/sieve-mail-rejected.ts";
import { requireUnderHourlyLimit } from "./require-under-hourly-limit.ts";
import type { SieveMail } from "#server/core/mail/sieve-mail/queue-sieve-mail.ts";

/**
 * Queues a vacation reply (RFC 5230, RFC 3834) with a null sender, so that it can't bounce. Pigeonhole decides whom
 * to reply to and how often, but doesn't know the appliance's own return paths, which must get no replies.
 */
export async function queueVacationReply(
  db: Db,
  mailbox: ScriptedMailbox,
  { recipient, message }: SieveMail,
): Promise<void> {
  const target = readReversePath(recipient);
  if (!target || parseSystemAddress(target, config().hostname) !== null)
    throw new SieveMailRejected("This address doesn't accept replies");
  const known = (await resolveRecipients(db, [target])).get(target);
  if (known?.kind === "mailbox" && known.mailbox === mailbox.address)
    throw new SieveMailRejected("A mailbox can't reply to itself");
  await requireAllowedRecipients(db, mailbox, [target]);

  const { from, headerFrom, subject, messageId } = message.header;
  if (from === null) throw new SieveMailRejected("The message has no valid From address");
  const { domainId } = await requireOwnAddress(db, mailbox, from, "From");
  const { companyId } = mailbox;
  await db.transaction(async (tx) => {
    await requireUnderHourlyLimit(tx, mailbox.address, "vacation");
    await acceptMessage(tx, {
      ...{ companyId, origin: "vacation", mailbox: mailbox.address, groupAddress: null },
      ...{ sender: "", isSenderTold: false, signingDomainId: domainId },
      ...{ content: message.raw, headerFrom, subject, messageId, clientAddress: null },
      recipients: [{ address: target, isHeld: mailbox.isHeld }],
    });
  });
}
