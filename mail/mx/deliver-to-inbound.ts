import { receiveEmail } from "#server/core/mail/received/receive-email.ts";
import type { ReceivingError } from "#server/core/mail/received/receiving-limits.ts";
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
  { sender, content, fingerprint }: { sender: string; content: Buffer; fingerprint: string },
): Promise<DeliveryOutcome[]> {
  const outcomes: DeliveryOutcome[] = [];
  const byCompany = Map.groupBy(recipients, ({ companyId }) => companyId);
  for (const [companyId, all] of byCompany) {
    const byAddress = new Map(all.map(({ address, written = address }) => [address, written]));
    const receivedFor = [...byAddress.values()];
    const message = { sender, content, key: fingerprint, isChecked: true };
    const error = await receiveEmail(db, {
      ...{ ...message, companyId, receivedFor, repeatsForMs: REPEATS_FOR_MS },
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
