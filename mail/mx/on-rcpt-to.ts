import { classifyRecipient } from "#server/core/mail/incoming/classify-recipient.ts";
import { isGreylisted } from "#server/core/mail/spam/greylist.ts";

import type { MxContext, AcceptedRecipient } from "./mx-context.ts";
import { SmtpReply } from "./smtp-reply.ts";

/** What is known of who hands over. */
export type Client = {
  clientAddress: string;
  /** Reverse path, "" for none. */
  sender: string;
  /** The blocklist that has the address, if one does. */
  listing: Promise<string | null>;
};

/** A refusal of an address that is nobody's here: who collects many of them is guessing. */
export class UnknownRecipient extends SmtpReply {
  override name = "NobodyHere";
}

/**
 * RCPT TO from another mail server (RFC 5321, 3.3). What is not taken is refused here, before DATA:
 * that is what keeps us from sending bounces to forged senders.
 *
 * @throws SmtpReply
 */
export async function onRcptTo(
  context: MxContext,
  address: string,
  client: Client,
): Promise<AcceptedRecipient> {
  const recipient = await classifyRecipient(context, address);
  if (recipient.is === "foreign")
    throw new UnknownRecipient(
      550,
      "5.7.1",
      "Relaying denied: this server only accepts mail for its own domains",
    );
  if (recipient.is === "unknown")
    throw new UnknownRecipient(550, "5.1.1", "No such recipient here");
  if (recipient.is === "mailbox" && recipient.isFull)
    throw new SmtpReply(452, "4.2.2", "The mailbox is full");
  // What comes back about our own mail takes no room to speak of.
  if (recipient.is === "own") return recipient;
  if (await context.acceptanceBlocker())
    throw new SmtpReply(452, "4.3.1", "Insufficient system storage, try again later");
  if (isRoleAddress(recipient.address)) return recipient;
  await rejectListed(client);
  if (recipient.is !== "owners") await deferGreylisted(context, recipient, client);
  return recipient;
}

/** Even who is listed, or has never been seen, can write to those who may change it. */
const isRoleAddress = (address: string) => /^(postmaster|abuse)@/.test(address);

async function rejectListed({ listing }: Client): Promise<void> {
  const zone = await listing;
  if (zone)
    throw new SmtpReply(
      550,
      "5.7.1",
      `Your IP address is on the blocklist ${zone}. Contact postmaster if this is a mistake`,
    );
}

async function deferGreylisted(
  { db }: MxContext,
  { companyId, address }: { companyId: string; address: string },
  { clientAddress, sender }: Client,
): Promise<void> {
  if (await isGreylisted(db, { companyId, clientAddress, sender, recipient: address }))
    throw new SmtpReply(451, "4.7.1", "Greylisted, try again in a few minutes");
}
