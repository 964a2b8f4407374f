import type { DeliveryRecipient } from "./mx-context.ts";
import { SmtpReply } from "./smtp-reply.ts";

/** What happened to a message for one recipient. */
export type DeliveryOutcome =
  /** Committed or delivered; or, with a reason, discarded. */
  | { recipient: DeliveryRecipient; status: "accepted"; discarded?: string }
  /** A temporary failure; the reply asks the sender to retry. */
  | { recipient: DeliveryRecipient; status: "deferred"; reply: SmtpReply }
  | { recipient: DeliveryRecipient; status: "rejected"; reply: SmtpReply }
  /** Already delivered there (RFC 5321, 6.3). */
  | { recipient: DeliveryRecipient; status: "loop" };

/**
 * Throws the single reply to DATA if no recipient has the message; a temporary one if a retry may help.
 *
 * @throws SmtpReply
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
