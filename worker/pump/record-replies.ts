import { recordDeliveredReplies } from "#server/core/mail/replies/record-delivered-replies.ts";
import type { Db } from "#server/db/client.ts";
import type { Outcome } from "#mail/smtp/outcome.ts";

import type { OutgoingMessage } from "./deliver-envelope.ts";
import type { DeliveryMethod, LocalAddresses } from "./plan-deliveries.ts";

/** Whether an envelope is for mailboxes or groups here. Inbound addresses record a reply when it is parsed. */
export const isLocal = (way: DeliveryMethod): boolean =>
  way.kind === "group" || (way.kind === "carried" && way.isHere);

/** Records a delivered message as a reply to an email of the API, if it is one. Never throws. */
export async function recordReplies(
  { message, envelopeFrom, origin, rcptTo }: OutgoingMessage,
  outcomes: Outcome[],
  { db, resolved }: { db: Db; resolved: LocalAddresses["resolved"] },
): Promise<void> {
  // What a mailbox forwards or a group distributes has reached one of them before.
  if (origin === "forward" || origin === "group") return;
  const reached = outcomes.flatMap(({ recipient, result }) => {
    const companyId = result === "delivered" ? resolved.get(recipient)?.companyId : undefined;
    return companyId === undefined ? [] : [{ address: rcptTo(recipient), companyId }];
  });
  await recordDeliveredReplies(db, { content: message, sender: envelopeFrom }, reached);
}
