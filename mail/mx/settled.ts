import type { Person } from "./door.ts";
import { SmtpReply } from "./smtp-reply.ts";

/** What became of a message for one of its recipients. */
export type Settled =
  /** Theirs, and safe. */
  | { recipient: Person; as: "taken" }
  /** Not now: the reply is for a sender that may come again. */
  | { recipient: Person; as: "later"; reply: SmtpReply }
  | { recipient: Person; as: "refused"; reply: SmtpReply }
  /** It has been there before (RFC 5321, 6.3). */
  | { recipient: Person; as: "loop" };

/**
 * The one answer there is after DATA for recipients that fared alike.
 *
 * @throws SmtpReply when nobody has the message: the sender comes again as long as that may help
 */
export function refuseUnlessTaken(settled: Settled[]): void {
  if (settled.length === 0 || settled.some(({ as }) => as === "taken")) return;
  const reply = [...all(settled, "later"), ...all(settled, "refused")][0]?.reply;
  throw reply ?? new SmtpReply(554, "5.4.6", "The message has been here before");
}

function all<As extends Settled["as"]>(settled: Settled[], as: As) {
  return settled.filter((one): one is Extract<Settled, { as: As }> => one.as === as);
}
