import type { Outcome } from "#mail/smtp/outcome.ts";
import type { MessageOrigin } from "#drizzle/schema/index.ts";
import { isPendingPost } from "#server/core/mail/group-posts/pending-post.ts";
import type { Post, Posted } from "#server/core/mail/group-posts/post.ts";
import { postToGroup } from "#server/core/mail/group-posts/post-to-group.ts";
import { postToOwners } from "#server/core/mail/group-posts/post-to-owners.ts";
import { receiveEmail } from "#server/core/mail/received/receive-email.ts";
import type { SigningDomain } from "#server/core/sending/dkim/load-signing-domains.ts";
import type { LeasedRecipient } from "#server/core/sending/outbox/lease-due-emails.ts";
import type { Db } from "#server/db/client.ts";
import type { Carrier, SevenBit } from "#worker/delivery/delivery.ts";
import type { DsnRequest } from "#mail/smtp/envelope.ts";

import { deferLocalRejections, alignOutcomes } from "./outcomes.ts";
import {
  type DeliveryMethod,
  type Envelope,
  groupByCopy,
  latestRetryRequest,
  type LocalAddresses,
} from "./plan-deliveries.ts";
import type { Prepared } from "./prepared.ts";
import { isLocal, recordReplies } from "./record-replies.ts";
import { retryMovedMailboxes } from "./retry-moved-mailboxes.ts";
import {
  type DeliveryKind,
  messageOrigin,
  type PostAuthor,
  type Queued,
  type Source,
} from "./source.ts";

export type OutgoingMessage = {
  id: string;
  companyId: string;
  /** The domain that signs it; null if none does. */
  domain: string | null;
  isBatch: boolean;
  isTest: boolean;
  message: Buffer;
  sevenBit?: SevenBit | undefined;
  /** Bare address for MAIL FROM; "" is the null sender. */
  envelopeFrom: string;
  isTlsOptional: boolean;
  dsn?: DsnRequest | undefined;
  /** Null for an email of the API. */
  origin: MessageOrigin | null;
  /** A recipient as written in commands to other servers. */
  rcptTo: (recipient: string) => string;
  /** Called only if a group is among the recipients. */
  author: () => PostAuthor;
};

/** Whether this worker may still send to some recipients: it holds their leases, and they aren't on hold. */
export type MaySend = (recipients: LeasedRecipient[]) => boolean;

type Ready = Extract<Prepared, { message: Buffer }> & { signer: SigningDomain | Error | undefined };

export function toOutgoing<Item extends Queued, Result extends { rowId: string }>(
  source: Source<Item, Result>,
  item: Item,
  { message, sevenBit, signer }: Ready,
): OutgoingMessage {
  return {
    id: item.id,
    companyId: item.companyId,
    message,
    sevenBit,
    envelopeFrom: source.envelopeFrom(item, signer),
    domain: signingName(signer),
    ...{ isBatch: item.isBatch ?? false, isTest: item.isTest ?? false },
    isTlsOptional: source.isTlsOptional?.(item, message) ?? false,
    dsn: source.dsn?.(item),
    origin: messageOrigin(source, item),
    author: () => source.author(item, message),
    rcptTo: (recipient) => source.rcptTo?.(item, recipient) ?? recipient,
  };
}

/** The name of the domain that signs a message; null if none does. */
export const signingName = (signer: SigningDomain | Error | undefined): string | null =>
  signer && !(signer instanceof Error) ? signer.domain : null;

type Dependencies = {
  db: Db;
  carrier: Carrier;
  resolved: LocalAddresses["resolved"];
  maySend: MaySend;
};

/**
 * Delivers a message to the recipients of one envelope.
 *
 * @returns an outcome for each recipient, in their order
 * @throws Error for a temporary problem on our side
 */
export async function deliverEnvelope(
  envelope: Envelope,
  outgoing: OutgoingMessage,
  dependencies: Dependencies,
): Promise<Outcome[]> {
  if (isForGoneGroup(envelope, outgoing)) return envelope.recipients.map(bounceUnknown);
  const outcomes = await deliver(envelope, outgoing, dependencies);
  if (isLocal(envelope.way)) await recordReplies(outgoing, outcomes, dependencies);
  return outcomes;
}

/** A copy for another company's group that is gone. Only groups read its fields, and it can be spam. */
const isForGoneGroup = ({ way }: Envelope, { origin, message }: OutgoingMessage): boolean =>
  way.kind !== "group" && origin === "group" && isPendingPost(message);

async function deliver(
  envelope: Envelope,
  outgoing: OutgoingMessage,
  { db, carrier, resolved, maySend }: Dependencies,
): Promise<Outcome[]> {
  const { way, recipients } = envelope;
  if (outgoing.isTest && way.kind !== "carried") throw new Error("A test email can't be sent");
  switch (way.kind) {
    case "carried": {
      const copies = copyByRecipient(envelope, resolved);
      const named = new Map(
        [...copies.values()].map((recipient) => [outgoing.rcptTo(recipient), recipient]),
      );
      const results = await carrier.deliver({
        route: way.route(),
        ...{ companyId: outgoing.companyId, domain: outgoing.domain, isBatch: outgoing.isBatch },
        retryAskedAt: latestRetryRequest(envelope),
        envelopeFrom: outgoing.envelopeFrom,
        recipients: [...named.keys()],
        message: outgoing.message,
        sevenBit: outgoing.sevenBit,
        isTlsOptional: outgoing.isTlsOptional,
        dsn: outgoing.dsn,
        mayBegin: () => maySend(recipients),
        ...(outgoing.isTest && { testFailures: recipients.map(({ attempt }) => attempt) }),
      });
      const outcomes = results.map((outcome) => ({
        ...outcome,
        recipient: named.get(outcome.recipient) ?? outcome.recipient,
      }));
      if (!way.isHere) return alignOutcomes(recipients, outcomes);
      const deferred = deferLocalRejections(outcomes, resolved);
      const settled = await retryMovedMailboxes(db, deferred, resolved);
      return alignOutcomes(recipients, shareOutcomes(copies, settled));
    }
    case "group":
    case "owners":
      return Promise.all(
        recipients.map(async ({ recipient }) =>
          toOutcome(recipient, await post(db, way, { recipient, outgoing })),
        ),
      );
    case "inbound":
      return receive(db, way.companyId, { recipients, outgoing });
    case "unknown":
      return recipients.map(bounceUnknown);
  }
}

/** Which recipient's copy each recipient gets. */
function copyByRecipient(
  envelope: Envelope,
  resolved: LocalAddresses["resolved"],
): Map<string, string> {
  const copies = groupByCopy(envelope, resolved);
  return new Map(
    copies.flatMap((sharing) =>
      sharing.map(({ recipient }) => [recipient, sharing[0]!.recipient] as const),
    ),
  );
}

function shareOutcomes(copies: Map<string, string>, outcomes: Outcome[]): Outcome[] {
  const byCopy = new Map(outcomes.map((outcome) => [outcome.recipient, outcome]));
  return [...copies].flatMap(([recipient, copy]) => {
    const outcome = byCopy.get(copy);
    return outcome ? [{ ...outcome, recipient }] : [];
  });
}

export function deliveryKind(way: DeliveryMethod): DeliveryKind {
  if (way.kind === "inbound") return "delivered";
  if (way.kind === "carried") return way.isHere ? "delivered" : "relayed";
  return "expanded";
}

type GroupPost = { recipient: string; outgoing: OutgoingMessage };

function post(
  db: Db,
  way: Extract<DeliveryMethod, { kind: "group" | "owners" }>,
  { recipient, outgoing }: GroupPost,
): Promise<Posted> {
  const { id, message: content, envelopeFrom: sender } = outgoing;
  const given: Post = { id, repeatsForMs: null, sender, content, ...outgoing.author() };
  return way.kind === "group"
    ? postToGroup(db, way.group, given)
    : postToOwners(db, way.companyId, recipient, given);
}

/** Stores a message for the API. A limit of the company defers it. */
async function receive(
  db: Db,
  companyId: string,
  { recipients, outgoing }: { recipients: LeasedRecipient[]; outgoing: OutgoingMessage },
): Promise<Outcome[]> {
  const { id: key, envelopeFrom: sender, message: content, origin } = outgoing;
  const error = await receiveEmail(db, {
    ...{ key, repeatsForMs: null, companyId, sender, content },
    receivedFor: recipients.map(({ recipient }) => outgoing.rcptTo(recipient)),
    isChecked: origin === "incoming",
  });
  return recipients.map(({ recipient }) =>
    error
      ? {
          ...{ recipient, result: "delayed", dsn: error.enhancedCode },
          ...{ message: error.text, suppress: false },
        }
      : {
          ...{ recipient, result: "delivered", dsn: "2.0.0" },
          ...{ message: "Received for the API", suppress: false },
        },
  );
}

/** A group rejects a message for its content, author or size, so the address is never suppressed. */
function toOutcome(recipient: string, posted: Posted): Outcome {
  if (posted.kind === "refused") {
    const isForNow = posted.enhancedCode.startsWith("4.");
    return {
      ...{ recipient, result: isForNow ? "delayed" : "bounced", dsn: posted.enhancedCode },
      ...{ message: posted.text, suppress: false },
    };
  }
  return {
    recipient,
    result: "delivered",
    dsn: "2.0.0",
    message:
      posted.kind === "discarded" ? `Discarded: ${posted.reason}` : GROUP_RESULTS[posted.kind],
    suppress: false,
  };
}

const GROUP_RESULTS = {
  distributed: "Sent to the group's members",
  held: "Waiting for a moderator of the group",
};

/** Not suppressed: a mailbox with this address may be created tomorrow. */
const bounceUnknown = ({ recipient }: LeasedRecipient): Outcome => ({
  ...{ recipient, result: "bounced", dsn: "5.1.1" },
  ...{ message: "No such address here", suppress: false },
});
