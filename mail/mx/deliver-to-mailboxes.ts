import type { Outcome } from "#worker/delivery/delivery.ts";

import type { Door, Person } from "./door.ts";
import type { Settled } from "./settled.ts";
import { SmtpReply } from "./smtp-reply.ts";

export type MailboxTaker = Extract<Person, { is: "mailbox" }>;

/**
 * Hands a message to Dovecot, one copy for each mailbox, however many of its addresses were written to.
 * `taken` means that Dovecot has said 250. It never throws for what Dovecot does.
 */
export async function deliverToMailboxes(
  { carrier, lmtpSocketPath }: Pick<Door, "carrier" | "lmtpSocketPath">,
  takers: MailboxTaker[],
  { sender, content }: { sender: string; content: Buffer },
): Promise<Settled[]> {
  const first = new Map<string, MailboxTaker>();
  for (const taker of takers) if (!first.has(taker.mailbox)) first.set(taker.mailbox, taker);
  if (first.size === 0) return [];
  const outcomes = await carrier.deliver({
    route: { kind: "lmtp", socketPath: lmtpSocketPath() },
    envelopeFrom: sender,
    recipients: [...first.values()].map(({ address }) => address),
    message: content,
  });
  return [...first.values()].map((recipient, at) => settle(recipient, outcomes[at]!));
}

/** In our own words: Dovecot's are about files and settings. */
function settle(recipient: MailboxTaker, { result, dsn }: Outcome): Settled {
  if (result === "delivered") return { recipient, as: "taken" };
  if (dsn.endsWith(".2.2"))
    return { recipient, as: "later", reply: new SmtpReply(452, "4.2.2", "The mailbox is full") };
  if (result === "delayed")
    return {
      ...{ recipient, as: "later" },
      reply: new SmtpReply(451, "4.3.0", "Mailboxes cannot take mail now, try again later"),
    };
  const reply = dsn.startsWith("5.1.")
    ? new SmtpReply(550, "5.1.1", "No such recipient here")
    : new SmtpReply(550, "5.0.0", "The mailbox does not take the message");
  return { recipient, as: "refused", reply };
}
