import { decodePendingPost } from "#server/core/mail/group-posts/post.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import {
  leaseDueMessages,
  type LeasedMessage,
} from "#server/core/sending/messages/lease-due-messages.ts";
import {
  type MessageOutcome,
  recordMessageOutcomes,
} from "#server/core/mail/outcomes/record-message-outcomes.ts";
import { MESSAGES_CHANNEL } from "#server/core/sending/messages/messages.ts";
import { envelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";
import { firstTurn } from "#server/core/sending/outbox/fair-leases.ts";
import type { Outcome } from "#mail/smtp/outcome.ts";
import type { DsnRequest } from "#mail/smtp/envelope.ts";

import { returnPath } from "./email-source.ts";
import { delayedOutcomes } from "./outcomes.ts";
import { prepareStored } from "./prepare.ts";
import type { DeliveryKind, MailQueue, PostAuthor, PumpOptions } from "./source.ts";

/**
 * Mail sent as is: submissions, automatic replies, forwards, group copies, incoming mail and our own
 * reports.
 */
export function messageSource(options: PumpOptions): MailQueue<LeasedMessage, MessageOutcome> {
  const { connection, hostname, sign } = options;
  const { db } = connection;
  const turn = firstTurn();
  return {
    channel: MESSAGES_CHANNEL,
    queue: "message_recipients",
    lease: (lease) => leaseDueMessages(db, { ...lease, turn }),
    filter: (_owner, leased) => Promise.resolve(leased),
    signer: ({ signingDomainId }) => signingDomainId,
    prepare: (message, signer) => prepareStored(message, signer, { db, sign }),
    envelopeFrom: (message, signer) =>
      isSentAsGroup(message)
        ? envelopeSender(message.id, returnPath(signer, options))
        : reversePath(message, hostname),
    isTlsOptional: ({ origin }, message) => origin === "report" && declinesTls(message),
    dsn: (message) =>
      message.origin === "submission" && !isSentAsGroup(message) ? dsnRequest(message) : undefined,
    origin: ({ origin }) => origin,
    author: postAuthor,
    toResults: toMessageOutcomes,
    delayed: (message, reason) =>
      toMessageOutcomes(message, delayedOutcomes(message.recipients, reason)),
    // RFC 3463, 3.4: trouble of the mail system itself.
    failed: (message, reason) =>
      toMessageOutcomes(
        message,
        delayedOutcomes(message.recipients, reason).map((outcome) => ({
          ...outcome,
          result: "bounced",
          dsn: "5.3.0",
        })),
      ),
    record: (owner, outcomes) => recordMessageOutcomes(db, { owner, hostname }, outcomes),
  };
}

/**
 * A copy for another company's group says how the author was authenticated on arrival. The sender of mail sent as a
 * group is the member's mailbox: our return path is only valid for as long as the submission is stored.
 */
function postAuthor(leased: LeasedMessage, message: Message): PostAuthor {
  const { id, origin, companyId, mailbox, sender, clientAddress } = leased;
  if (origin === "group") return decodePendingPost({ id, sender, message, clientAddress });
  return {
    from: message.header.from,
    // Only a submission has an authenticated author; everything else originated elsewhere.
    author: origin === "submission" ? { companyId } : null,
    isFromVerified: false,
    clientAddress,
    ...(isSentAsGroup(leased) && mailbox !== null && { sender: mailbox }),
  };
}

/**
 * Mail that a member sends as a group leaves with one of our own return paths, because groups discard bounces. We send the
 * delivery notifications that the member requested, because other servers' notifications to that path are read only for failures.
 */
const isSentAsGroup = ({ origin, groupAddress }: LeasedMessage): boolean =>
  origin === "submission" && groupAddress !== null;

/**
 * The address for MAIL FROM. Bounces of submissions return to the sender's mailbox. The sender of a forward
 * or a group copy is elsewhere, and its SPF record doesn't list this server, so they leave with one of our
 * own addresses. Automatic replies and reports must not be answered (RFC 5321, 4.5.5).
 */
function reversePath({ id, origin, sender }: LeasedMessage, hostname: string): string {
  switch (origin) {
    case "submission":
    case "incoming":
      return sender;
    case "forward":
    case "group":
      return envelopeSender(id, hostname);
    case "vacation":
    case "report":
      return "";
  }
}

/** RFC 8689, 3. Only TLS reports have it, of what is created here. */
const declinesTls = (message: Message): boolean => message.named("tls-required").length > 0;

/** What a mailbox user's mail app asked for. */
const dsnRequest = ({ envelopeId, returnFull, recipients }: LeasedMessage): DsnRequest => ({
  envelopeId,
  returnFull,
  recipients: new Map(recipients.map((one) => [one.recipient, one])),
});

const toMessageOutcomes = (
  { id: messageId, recipients }: LeasedMessage,
  outcomes: Outcome[],
  delivery: DeliveryKind = "relayed",
): MessageOutcome[] =>
  recipients.map(({ rowId, attempt }, at) => {
    const outcome = outcomes[at]!;
    const kind = outcome.isDsnRelayed ? "transferred" : delivery;
    return { ...outcome, rowId, messageId, attempt, delivery: kind };
  });
