import { deriveId } from "#server/core/shared/derive-id.ts";
import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";

import type { MxContext, DeliveryRecipient } from "./mx-context.ts";
import type { ClassifiedMessage } from "./on-message.ts";
import type { DeliveryOutcome } from "./delivery-outcome.ts";

/**
 * Puts a message in quarantine, once per company for its mailboxes and once per group. `accepted` means
 * committed. Idempotent.
 */
export async function quarantineIncoming(
  deliverable: DeliveryRecipient[],
  { sender, message, clientAddress, spam, fingerprint }: ClassifiedMessage,
  { db }: Pick<MxContext, "db">,
): Promise<DeliveryOutcome[]> {
  const shares = new Map<string, { companyId: string; recipients: Set<string> }>();
  for (const recipient of deliverable) {
    // Owners already see the quarantine in the console.
    if (recipient.kind === "owners") continue;
    const { companyId } = recipient;
    const share = recipient.kind === "group" ? recipient.group : companyId;
    const { recipients } = shares.get(share) ?? { recipients: new Set() };
    recipients.add(quarantinedAs(recipient));
    shares.set(share, { companyId, recipients });
  }
  for (const { companyId, recipients } of shares.values())
    await quarantineMessage(db, {
      // The same message may arrive separately for other recipients.
      id: deriveId(fingerprint, [...recipients].sort().join(" ")),
      ...{ companyId, recipients: [...recipients], sender, clientAddress, content: message.raw },
      ...{ score: spam.score, findings: spam.findings, reason: spam.isVirus ? "virus" : "spam" },
      headerFrom: message.header.headerFrom,
      subject: message.header.subject,
    });
  return deliverable.map((recipient) => ({ recipient, status: "accepted" }));
}

function quarantinedAs(recipient: Exclude<DeliveryRecipient, { kind: "owners" }>): string {
  if (recipient.kind === "group") return recipient.group;
  return recipient.kind === "mailbox" ? recipient.mailbox : recipient.address;
}
