import type { DeliveryRecipient } from "./mx-context.ts";
import { SmtpReply } from "./smtp-reply.ts";

/** What became of a message for one of its recipients. */
export type DeliveryOutcome =
  /** Theirs, and safe. */
  | { recipient: DeliveryRecipient; status: "accepted" }
  /** Not now: the reply is for a sender that may come again. */
  | { recipient: DeliveryRecipient; status: "deferred"; reply: SmtpReply }
  | { recipient: DeliveryRecipient; status: "rejected"; reply: SmtpReply }
  /** It has been there before (RFC 5321, 6.3). */
  | { recipient: DeliveryRecipient; status: "loop" };

/**
 * The one answer there is after DATA for recipients that fared alike.
 *
 * @throws SmtpReply when nobody has the message: the sender comes again as long as that may help
 */
export function rejectUnlessAccepted(outcomes: DeliveryOutcome[]): void {
  if (outcomes.length === 0 || outcomes.some(({ status }) => status === "accepted")) return;
  const reply = [
    ...filterByStatus(outcomes, "deferred"),
    ...filterByStatus(outcomes, "rejected"),
  ][0]?.reply;
  throw reply ?? new SmtpReply(554, "5.4.6", "Mail loop: the message was already delivered here");
}

function filterByStatus<Status extends DeliveryOutcome["status"]>(
  outcomes: DeliveryOutcome[],
  status: Status,
) {
  return outcomes.filter(
    (one): one is Extract<DeliveryOutcome, { status: Status }> => one.status === status,
  );
}
