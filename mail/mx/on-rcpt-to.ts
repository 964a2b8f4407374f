import {
  checkIncomingRecipient,
  type KnownRecipient,
} from "#server/core/mail/incoming/recipients.ts";
import { isPostingRestricted } from "#server/core/mail/group-posts/post-to-group.ts";
import { isGreylisted } from "#server/core/mail/spam/greylist.ts";
import { isRoleAddress } from "#server/core/mailboxes/mailboxes/recipients.ts";

import { receivingReply } from "./deliver.ts";
import type { AcceptedRecipient, MxContext } from "./mx-context.ts";
import { SmtpReply } from "./smtp-reply.ts";

/** The client and its envelope sender. */
type Client = {
  clientAddress: string;
  /** Return path; "" for the null sender. */
  sender: string;
  /** The blocklist that lists the client, or null. */
  listing: Promise<string | null>;
};

/** Rejects an unknown address. Many of them from one client mean that it is guessing. */
export class UnknownRecipient extends SmtpReply {
  override name = "UnknownRecipient";
}

/**
 * Checks RCPT TO from another mail server (RFC 5321, 3.3). Everything that can be rejected is rejected here,
 * before DATA, so that we never send bounces to forged senders.
 *
 * @throws SmtpReply
 */
export async function acceptRecipient(
  context: MxContext,
  address: string,
  client: Client,
): Promise<AcceptedRecipient> {
  const { recipient, error } = await checkIncomingRecipient(context, address);
  if (error) {
    const Reply = error.code === 550 ? UnknownRecipient : SmtpReply;
    throw new Reply(error.code, error.enhancedCode, error.text);
  }
  if (recipient.kind === "own") return recipient;
  // Listed and unknown senders can still reach those who can help.
  if (!isRoleAddress(recipient.address)) await rejectUnwelcome(context, recipient, client);
  if (recipient.kind === "group") return acceptGroup(context, recipient);
  if (recipient.kind === "inbound") await requireReceivingRoom(context, recipient);
  return recipient;
}

const acceptGroup = async (
  { db }: MxContext,
  recipient: Extract<KnownRecipient, { kind: "group" }>,
): Promise<AcceptedRecipient> => ({
  ...recipient,
  isRestricted: await isPostingRestricted(db, recipient.group),
});

async function requireReceivingRoom(
  { db, receiving }: MxContext,
  { companyId }: { companyId: string },
): Promise<void> {
  const error = await receiving.findError({ db, companyId });
  if (error) throw receivingReply(error);
}

async function rejectUnwelcome(
  context: MxContext,
  recipient: Exclude<KnownRecipient, { kind: "own" }>,
  client: Client,
): Promise<void> {
  await rejectListed(client);
  if (recipient.kind !== "owners") await deferGreylisted(context, recipient, client);
}

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

/**
 * Requires that a group that not everyone can post to gets a message of its own, unless the sender can be sent a bounce:
 * a single reply to DATA couldn't say that the group refused the message. Other servers then send it separately
 * (RFC 5321, 4.5.3.1.10).
 *
 * @param isAllowedSender whether the sender can be sent a bounce
 * @throws SmtpReply
 */
export async function requireSeparateMessage(
  recipient: AcceptedRecipient,
  {
    others,
    isAllowedSender,
  }: { others: AcceptedRecipient[]; isAllowedSender: () => Promise<boolean> },
): Promise<void> {
  if (recipient.kind === "own") return;
  const all = [recipient, ...others].filter(({ kind }) => kind !== "own");
  const groups = new Set(all.map((one) => (one.kind === "group" ? one.group : null)));
  if (all.length < 2 || (groups.size === 1 && recipient.kind === "group")) return;
  if (!all.some((one) => one.kind === "group" && one.isRestricted)) return;
  if (await isAllowedSender()) return;
  throw new SmtpReply(
    452,
    "4.5.3",
    "Send the message to this recipient separately: a group with posting rules is among the recipients",
  );
}
