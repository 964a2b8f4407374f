import { receiveEmail } from "#server/core/mail/received/receive-email.ts";
import type { ReceivingError } from "#server/core/mail/received/receiving-limits.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import type { Db } from "#server/db/client.ts";

import type { DeliveryOutcome } from "./delivery-outcome.ts";
import { REPEATS_FOR_MS } from "./fingerprint.ts";
import type { DeliveryRecipient } from "./mx-context.ts";
import { SmtpReply } from "./smtp-reply.ts";

export type InboundRecipient = Extract<DeliveryRecipient, { kind: "inbound" }>;

/** Stores a message for the API, once per company. `accepted` means committed. Idempotent while the sender retries. */
export async function deliverToInbound(
  db: Db,
  recipients: InboundRecipient[],
  { sender, message, fingerprint }: { sender: string; message: Message; fingerprint: string },
): Promise<DeliveryOutcome[]> {
  const outcomes: DeliveryOutcome[] = [];
  const byCompany = Map.groupBy(recipients, ({ companyId }) => companyId);
  for (const [companyId, all] of byCompany) {
    const byAddress = new Map(all.map(({ address, written = address }) => [address, written]));
    const receivedFor = [...byAddress.values()];
    const error = await receiveEmail(db, {
      key: fingerprint,
      repeatsForMs: REPEATS_FOR_MS,
      companyId,
      receivedFor,
      sender,
      message,
      isChecked: true,
    });
    for (const recipient of all)
      outcomes.push(
        error
          ? { recipient, status: "deferred", reply: receivingReply(error) }
          : { recipient, status: "accepted" },
      );
  }
  return outcomes;
}

/** 452 for a full storage, like that of a full mailbox. */
export const receivingReply = ({ enhancedCode, text }: ReceivingError): SmtpReply =>
  new SmtpReply(enhancedCode === "4.2.2" ? 452 : 451, enhancedCode, text);
