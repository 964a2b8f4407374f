import { isAllowedSender } from "#server/core/mail/authentication/is-allowed-sender.ts";
import type { Origin } from "#server/core/mail/authentication/verify-message.ts";
import { findRestrictions } from "#server/core/mail/group-posts/find-restrictions.ts";

import type { AcceptedRecipient, MxContext } from "./mx-context.ts";
import { SmtpReply } from "./smtp-reply.ts";

/**
 * Requires that a group that not everyone can post to gets a message of its own, unless the sender can be sent a bounce:
 * a single reply to DATA couldn't say that the group refused the message. Other servers then send it separately
 * (RFC 5321, 4.5.3.1.10).
 *
 * @throws SmtpReply
 */
export async function requireAlone(
  { db, hostname, cachedResolver }: MxContext,
  recipient: AcceptedRecipient,
  { others, origin }: { others: AcceptedRecipient[]; origin: Origin },
): Promise<void> {
  const all = [recipient, ...others].filter(({ kind }) => kind !== "own");
  if (all.length < 2 || recipient.kind === "own") return;
  const isRestricted = await Promise.all(
    all.map(
      async (one) => one.kind === "group" && (await findRestrictions(db, one.group)).isRestricted,
    ),
  );
  if (!isRestricted.includes(true)) return;
  if (await isAllowedSender(origin, { resolver: cachedResolver, hostname })) return;
  throw new SmtpReply(
    452,
    "4.5.3",
    "Send the message to this recipient separately: a group with posting rules is among the recipients",
  );
}
