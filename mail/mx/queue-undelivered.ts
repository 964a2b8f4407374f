import type { Message } from "#server/core/shared/mime/message.ts";
import { acceptMessage } from "#server/core/sending/messages/accept-message.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import type { Db } from "#server/db/client.ts";

import type { DeliveryOutcome } from "./delivery-outcome.ts";

/**
 * Queues a message that some recipients have already received for those that have not: the sender gets a
 * 250 for all of them. Deferred recipients are retried. A rejection is repeated from the queue, which records it and,
 * unless the sender may be forged, sends the bounce message.
 */
export async function queueUndelivered(
  db: Db,
  outcomes: DeliveryOutcome[],
  {
    sender,
    isSenderTold,
    message,
    clientAddress,
  }: { sender: string; isSenderTold: boolean; message: Message; clientAddress: string },
): Promise<void> {
  const byCompany = groupByCompany(outcomes);
  for (const [companyId, rest] of byCompany)
    await acceptMessage(db, {
      ...{ companyId, origin: "incoming", mailbox: null, groupAddress: null },
      ...{ sender, isSenderTold, signingDomainId: null, clientAddress },
      content: message.raw,
      recipients: rest.map(({ address, written }) => ({ address, written })),
      headerFrom: message.header.headerFrom,
      subject: message.header.subject,
      messageId: message.messageId,
    });
  if (byCompany.size > 0) wakeMessages(db);
}

/** Addresses to queue, by company. */
function groupByCompany(outcomes: DeliveryOutcome[]): Map<string, DeliveryOutcome["recipient"][]> {
  // The host's own postmaster belongs to no company: queue it with another recipient's.
  const any = outcomes.find(({ recipient }) => recipient.companyId)?.recipient.companyId;
  const byCompany = new Map<string, DeliveryOutcome["recipient"][]>();
  for (const { recipient, status } of outcomes) {
    const isQueued = status === "deferred" || status === "rejected";
    const companyId = recipient.companyId ?? any;
    if (isQueued && companyId)
      byCompany.set(companyId, [...(byCompany.get(companyId) ?? []), recipient]);
  }
  return byCompany;
}
