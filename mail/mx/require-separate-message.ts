import type { AcceptedRecipient } from "./mx-context.ts";
import { SmtpReply } from "./smtp-reply.ts";

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
