import type { Outcome } from "#mail/smtp/outcome.ts";

import type { MxContext, DeliveryRecipient } from "./mx-context.ts";
import type { DeliveryOutcome } from "./delivery-outcome.ts";
import { SmtpReply } from "./smtp-reply.ts";

export type MailboxRecipient = Extract<DeliveryRecipient, { kind: "mailbox" }>;

/**
 * Delivers a message to Dovecot, one copy per mailbox even if several of its addresses are recipients.
 * `accepted` means that Dovecot replied 250. Errors of Dovecot become outcomes.
 */
export async function deliverToMailboxes(
  context: Pick<MxContext, "store" | "lmtpPlace">,
  recipients: MailboxRecipient[],
  message: { sender: string; content: Buffer },
): Promise<DeliveryOutcome[]> {
  const first = new Map<string, MailboxRecipient>();
  for (const recipient of recipients)
    if (!first.has(recipient.mailbox)) first.set(recipient.mailbox, recipient);
  const byHost = Map.groupBy(first.values(), ({ storeHost }) => storeHost);
  const delivered = [...byHost].map(([storeHost, all]) =>
    deliverToHost(context, all, { storeHost, ...message }),
  );
  return (await Promise.all(delivered)).flat();
}

async function deliverToHost(
  { store, lmtpPlace }: Pick<MxContext, "store" | "lmtpPlace">,
  recipients: MailboxRecipient[],
  { storeHost, sender, content }: { storeHost: string | null; sender: string; content: Buffer },
): Promise<DeliveryOutcome[]> {
  const outcomes = await store.deliver({
    at: lmtpPlace(storeHost),
    envelopeFrom: sender,
    recipients: recipients.map(({ address }) => address),
    message: content,
  });
  return recipients.map((recipient, at) => toOutcome(recipient, outcomes[at]!));
}

/** Does not pass on Dovecot's texts, which contain file paths and settings. */
function toOutcome(recipient: MailboxRecipient, { result, dsn }: Outcome): DeliveryOutcome {
  if (result === "delivered") return { recipient, status: "accepted" };
  if (dsn.endsWith(".2.2"))
    return {
      recipient,
      status: "deferred",
      reply: new SmtpReply(452, "4.2.2", "The mailbox is full"),
    };
  if (result === "delayed")
    return {
      ...{ recipient, status: "deferred" },
      reply: new SmtpReply(451, "4.3.0", "Mailboxes are temporarily unavailable, try again later"),
    };
  const reply = dsn.startsWith("5.1.")
    ? new SmtpReply(550, "5.1.1", "No such recipient here")
    : new SmtpReply(550, "5.0.0", "The mailbox rejected the message");
  return { recipient, status: "rejected", reply };
}
