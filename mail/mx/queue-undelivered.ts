import type { HeaderFacts } from "#server/core/shared/mime/read-header.ts";
import { acceptMessage } from "#server/core/sending/messages/accept-message.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import type { Db } from "#server/db/client.ts";

import type { DeliveryOutcome } from "./delivery-outcome.ts";

/**
 * Takes on a message for those recipients who do not have it yet, once others do: the sender gets a 250
 * for all of them. Who was only hindered gets it later. Who refused it is asked once more and refuses
 * again, which is what makes the report to the sender; where the sender may be forged nobody is told,
 * and it ends here.
 */
export async function queueUndelivered(
  db: Db,
  outcomes: DeliveryOutcome[],
  message: {
    sender: string;
    isSenderTold: boolean;
    content: Buffer;
    header: HeaderFacts;
    clientAddress: string;
  },
): Promise<void> {
  const byCompany = groupByCompany(outcomes, message.isSenderTold);
  const { sender, isSenderTold, content, clientAddress, header } = message;
  for (const [companyId, rest] of byCompany)
    await acceptMessage(db, {
      ...{ companyId, origin: "incoming", mailbox: null, groupAddress: null },
      ...{ sender, isSenderTold, signingDomainId: null, content, clientAddress },
      recipients: rest.map((address) => ({ address })),
      headerFrom: header.headerFrom,
      subject: header.subject,
      messageId: header.messageId,
    });
  if (byCompany.size > 0) wakeMessages(db);
}

/** Addresses of those who are to be asked again, by company. */
function groupByCompany(outcomes: DeliveryOutcome[], isSenderTold: boolean): Map<string, string[]> {
  // The host's own postmaster is of no company: the message waits among those of another recipient.
  const any = outcomes.find(({ recipient }) => recipient.companyId)?.recipient.companyId;
  const byCompany = new Map<string, string[]>();
  for (const { recipient, status } of outcomes) {
    const isQueued = status === "deferred" || (status === "rejected" && isSenderTold);
    const companyId = recipient.companyId ?? any;
    if (isQueued && companyId)
      byCompany.set(companyId, [...(byCompany.get(companyId) ?? []), recipient.address]);
  }
  return byCompany;
}
