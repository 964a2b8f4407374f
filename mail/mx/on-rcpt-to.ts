import { classifyRecipient } from "#server/core/mail/incoming/classify-recipient.ts";
import { isGreylisted } from "#server/core/mail/spam/greylist.ts";

import type { Door, Taker } from "./door.ts";
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
export class NobodyHere extends SmtpReply {
  override name = "NobodyHere";
}

/**
 * RCPT TO from another mail server (RFC 5321, 3.3). What is not taken is refused here, before DATA:
 * that is what keeps us from sending bounces to forged senders.
 *
 * @throws SmtpReply
 */
export async function onRcptTo(door: Door, address: string, client: Client): Promise<Taker> {
  const recipient = await classifyRecipient(door, address);
  if (recipient.is === "foreign")
    throw new NobodyHere(550, "5.7.1", "This server takes mail for its own domains only");
  if (recipient.is === "unknown") throw new NobodyHere(550, "5.1.1", "No such recipient here");
  if (recipient.is === "mailbox" && recipient.isFull)
    throw new SmtpReply(452, "4.2.2", "The mailbox is full");
  // What comes back about our own mail takes no room to speak of.
  if (recipient.is === "own") return recipient;
  if (await door.whyNotNow())
    throw new SmtpReply(452, "4.3.1", "Insufficient system storage, try again later");
  if (isForTrouble(recipient.address)) return recipient;
  await refuseListed(client);
  if (recipient.is !== "owners") await putOff(door, recipient, client);
  return recipient;
}

/** Even who is listed, or has never been seen, can write to those who may change it. */
const isForTrouble = (address: string) => /^(postmaster|abuse)@/.test(address);

async function refuseListed({ listing }: Client): Promise<void> {
  const zone = await listing;
  if (zone)
    throw new SmtpReply(
      550,
      "5.7.1",
      `Your address is on the blocklist ${zone}: write to postmaster`,
    );
}

async function putOff(
  { db }: Door,
  { companyId, address }: { companyId: string; address: string },
  { clientAddress, sender }: Client,
): Promise<void> {
  if (await isGreylisted(db, { companyId, clientAddress, sender, recipient: address }))
    throw new SmtpReply(451, "4.7.1", "Not seen before: try again in some minutes");
}
