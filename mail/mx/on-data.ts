import { handleIncoming } from "#server/core/mail/incoming/handle-incoming.ts";

import { withoutMboxLine } from "#server/core/shared/mime/header-fields.ts";
import { Message } from "#server/core/shared/mime/message.ts";

import { checkContent } from "./check-content.ts";
import type { DeliveryOutcome } from "./delivery-outcome.ts";
import type { MxContext, Incoming, AcceptedRecipient } from "./mx-context.ts";
import { authenticate, onMessage } from "./on-message.ts";
import { SmtpReply } from "./smtp-reply.ts";

/**
 * Handles a received message for all its recipients. It is committed or in the mailboxes when this resolves.
 *
 * @returns whether the message isn't suspicious (false if it is only for our own addresses), and the outcomes of all
 *   recipients except those addresses
 * @throws SmtpReply
 */
export async function onData(
  received: Message,
  incoming: Incoming,
  context: MxContext,
): Promise<{ isClean: boolean; outcomes: DeliveryOutcome[] }> {
  const raw = withoutMboxLine(received.raw);
  const message = raw === received.raw ? received : new Message(raw);
  checkContent(message);
  const { own, deliverable } = partitionRecipients(incoming.recipients);
  // First, because they are idempotent: the sender may have to retry for the others.
  for (const { address } of own) {
    const isVerified = () => isFromVerified(message, incoming, context);
    const result = await handleIncoming(context.db, address, raw, isVerified);
    context.log.info({ to: address, result }, "system message received");
    if (result.kind === "too_early")
      throw new SmtpReply(
        451,
        "4.3.0",
        "An earlier delivery of this message is still being recorded, try again later",
      );
  }
  if (deliverable.length === 0) return { isClean: false, outcomes: [] };
  return onMessage(message, { ...incoming, deliverable }, context);
}

async function isFromVerified(
  message: Message,
  incoming: Incoming,
  context: MxContext,
): Promise<boolean> {
  const verdict = await authenticate(message, incoming, context);
  if (!verdict.isFromVerified && verdict.isUncertain)
    throw new SmtpReply(451, "4.7.1", "DNS lookup for the sender failed, try again later");
  return verdict.isFromVerified;
}

function partitionRecipients(recipients: AcceptedRecipient[]) {
  const own: Extract<AcceptedRecipient, { kind: "own" }>[] = [];
  const deliverable: Exclude<AcceptedRecipient, { kind: "own" }>[] = [];
  for (const recipient of recipients) {
    if (recipient.kind === "own") own.push(recipient);
    else deliverable.push(recipient);
  }
  return { own, deliverable };
}
