import { count, observe } from "#server/core/platform/monitoring/counters.ts";
import { type MailProvider, mailProvider } from "#server/core/platform/monitoring/mail-provider.ts";
import type { LeasedRecipient, LeasedTable } from "#server/core/sending/outbox/email-leases.ts";
import type { Outcome } from "#mail/smtp/outcome.ts";
import type { MessageOrigin } from "#drizzle/schema/index.ts";
import { isPendingPost, type Post, type Posted } from "#server/core/mail/group-posts/post.ts";
import { postToGroup } from "#server/core/mail/group-posts/post-to-group.ts";
import { postToOwners } from "#server/core/mail/group-posts/post-to-owners.ts";
import { receiveEmail } from "#server/core/mail/received/receive-email.ts";
import type { SigningDomain } from "#server/core/sending/dkim/dkim-keys.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import type { Db } from "#server/db/client.ts";
import type { Carrier, SevenBit } from "#worker/delivery/delivery.ts";
import type { DsnRequest } from "#mail/smtp/envelope.ts";
import { recordDeliveredReplies } from "#server/core/mail/replies/record-reply.ts";
import { findWithoutRoom, resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";

import {
  type DeliveryMethod,
  type Envelope,
  groupByCopy,
  latestRetryRequest,
  type LocalAddresses,
} from "./plan-deliveries.ts";
import { alignOutcomes, deferLocalRejections } from "./outcomes.ts";
import type { Prepared } from "./prepare.ts";
import { itemOrigin, type MailQueue, type PostAuthor, type Queued, signingName } from "./source.ts";

const MS_PER_SECOND = 1_000;

/** `deliverEnvelope`, counted for `/metrics` unless it's a test email. Emails have the time they were sent, messages don't. */
export async function deliverAndCount(
  { queue, item, envelope, outgoing }: Counted,
  dependencies: Dependencies,
): Promise<Outcome[]> {
  const startedAt = performance.now();
  const outcomes = await deliverEnvelope(envelope, outgoing, dependencies);
  if (outgoing.isTest) return outcomes;
  countOutcomes(
    { queue: queue === "outbox" ? "email" : "message", isHere: isHere(envelope) },
    { recipients: envelope.recipients, outcomes, seconds: elapsed(startedAt) },
  );
  const sentAt = "sentAt" in item && typeof item.sentAt === "string" ? item.sentAt : null;
  if (sentAt !== null && outcomes.some(({ result }) => result === "delivered")) {
    const seconds = Math.max(0, (Date.now() - Date.parse(sentAt)) / MS_PER_SECOND);
    observe("posthouse_delivery_latency_seconds", {}, seconds);
  }
  return outcomes;
}

type Counted = { queue: LeasedTable; item: object; envelope: Envelope; outgoing: OutgoingMessage };

const isHere = ({ way }: Envelope) => way.kind !== "carried" || way.isHere;

const elapsed = (startedAt: number) => (performance.now() - startedAt) / MS_PER_SECOND;

/** @param outcomes one for each recipient, in their order */
function countOutcomes(
  { queue, isHere }: { queue: string; isHere: boolean },
  done: { recipients: LeasedRecipient[]; outcomes: Outcome[]; seconds: number },
): void {
  const providers = new Set<MailProvider>();
  for (const [at, { result, host, notAttempted }] of done.outcomes.entries()) {
    if (notAttempted) continue;
    const provider = isHere ? "local" : mailProvider(done.recipients[at]!.destination, host);
    providers.add(provider);
    count("posthouse_deliveries_total", { queue, provider, outcome: result });
  }
  for (const provider of providers)
    observe("posthouse_delivery_attempt_seconds", { provider }, done.seconds);
}

export type OutgoingMessage = {
  id: string;
  companyId: string;
  /** The domain that signs it; null if none does. */
  domain: string | null;
  isBatch: boolean;
  isTest: boolean;
  message: Message;
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
  source: MailQueue<Item, Result>,
  item: Item,
  { message, sevenBit, signer }: Ready,
): OutgoingMessage {
  const sent = new Message(message);
  return {
    id: item.id,
    companyId: item.companyId,
    message: sent,
    sevenBit,
    envelopeFrom: source.envelopeFrom(item, signer),
    domain: signingName(signer),
    isBatch: item.isBatch ?? false,
    isTest: item.isTest ?? false,
    isTlsOptional: source.isTlsOptional?.(item, sent) ?? false,
    dsn: source.dsn?.(item),
    origin: itemOrigin(source, item),
    author: () => source.author(item, sent),
    rcptTo: (recipient) => source.rcptTo?.(item, recipient) ?? recipient,
  };
}

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
  dependencies: Dependencies,
): Promise<Outcome[]> {
  const { way, recipients } = envelope;
  if (outgoing.isTest && way.kind !== "carried") throw new Error("A test email can't be sent");
  switch (way.kind) {
    case "carried":
      return carry({ ...envelope, way }, outgoing, dependencies);
    case "group":
    case "owners":
      return Promise.all(
        recipients.map(async ({ recipient }) =>
          toOutcome(recipient, await post(dependencies.db, way, { recipient, outgoing })),
        ),
      );
    case "inbound":
      return receive(dependencies.db, way.companyId, { recipients, outgoing });
    case "unknown":
      return recipients.map(bounceUnknown);
  }
}

async function carry(
  envelope: Envelope & { way: Extract<DeliveryMethod, { kind: "carried" }> },
  outgoing: OutgoingMessage,
  { db, carrier, resolved, maySend }: Dependencies,
): Promise<Outcome[]> {
  const { way, recipients } = envelope;
  const copies = copyByRecipient(envelope, resolved);
  const full = way.isHere ? await findFull({ db, resolved }, copies, outgoing) : new Set<string>();
  const named = new Map(
    [...copies.values()]
      .filter((recipient) => !full.has(recipient))
      .map((recipient) => [outgoing.rcptTo(recipient), recipient]),
  );
  const request = {
    route: way.route(),
    companyId: outgoing.companyId,
    domain: outgoing.domain,
    isBatch: outgoing.isBatch,
    retryAskedAt: latestRetryRequest(envelope),
    envelopeFrom: outgoing.envelopeFrom,
    recipients: [...named.keys()],
    message: outgoing.message.raw,
    sevenBit: outgoing.sevenBit,
    isTlsOptional: outgoing.isTlsOptional,
    dsn: outgoing.dsn,
    mayBegin: () => maySend(recipients),
    ...(outgoing.isTest && { testFailures: recipients.map(({ attempt }) => attempt) }),
  };
  const results = named.size > 0 ? await carrier.deliver(request) : [];
  const outcomes = results.map((outcome) => ({
    ...outcome,
    recipient: named.get(outcome.recipient) ?? outcome.recipient,
  }));
  if (!way.isHere) return alignOutcomes(recipients, outcomes);
  const deferred = deferLocalRejections(outcomes, resolved).concat(
    [...full].map((recipient) => toOutcome(recipient, FULL)),
  );
  const settled = await retryMovedMailboxes(db, deferred, resolved);
  return alignOutcomes(recipients, shareOutcomes(copies, settled));
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

/** The copies that a mailbox here has no room for. */
async function findFull(
  { db, resolved }: Pick<Dependencies, "db" | "resolved">,
  copies: Map<string, string>,
  { message }: OutgoingMessage,
): Promise<Set<string>> {
  const found = [...copies.values()].flatMap((copy) => resolved.get(copy) ?? []);
  const full = await findWithoutRoom(db, found, message.raw.length);
  const isFull = (copy: string) => {
    const box = resolved.get(copy);
    return box?.kind === "mailbox" && full.has(box.mailbox);
  };
  return new Set([...copies.values()].filter(isFull));
}

const FULL: Posted = { kind: "refused", enhancedCode: "4.2.2", text: "The mailbox is full" };

function shareOutcomes(copies: Map<string, string>, outcomes: Outcome[]): Outcome[] {
  const byCopy = new Map(outcomes.map((outcome) => [outcome.recipient, outcome]));
  return [...copies].flatMap(([recipient, copy]) => {
    const outcome = byCopy.get(copy);
    return outcome ? [{ ...outcome, recipient }] : [];
  });
}

type GroupPost = { recipient: string; outgoing: OutgoingMessage };

function post(
  db: Db,
  way: Extract<DeliveryMethod, { kind: "group" | "owners" }>,
  { recipient, outgoing }: GroupPost,
): Promise<Posted> {
  const { id, message, envelopeFrom: sender } = outgoing;
  const given: Post = { id, repeatsForMs: null, sender, message, ...outgoing.author() };
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
  const { id: key, envelopeFrom: sender, message, origin } = outgoing;
  const error = await receiveEmail(db, {
    key,
    repeatsForMs: null,
    companyId,
    sender,
    message,
    receivedFor: recipients.map(({ recipient }) => outgoing.rcptTo(recipient)),
    isChecked: origin === "incoming",
  });
  return recipients.map(({ recipient }) =>
    error
      ? {
          recipient,
          result: "delayed",
          dsn: error.enhancedCode,
          message: error.text,
          suppress: false,
        }
      : {
          recipient,
          result: "delivered",
          dsn: "2.0.0",
          message: "Received for the API",
          suppress: false,
        },
  );
}

/** A group rejects a message for its content, author or size, so the address is never suppressed. */
function toOutcome(recipient: string, posted: Posted): Outcome {
  if (posted.kind === "refused") {
    const isForNow = posted.enhancedCode.startsWith("4.");
    return {
      recipient,
      result: isForNow ? "delayed" : "bounced",
      dsn: posted.enhancedCode,
      message: posted.text,
      suppress: false,
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
  recipient,
  result: "bounced",
  dsn: "5.1.1",
  message: "No such address here",
  suppress: false,
});

/** Whether an envelope is for mailboxes or groups here. Inbound addresses record a reply when it is parsed. */
const isLocal = (way: DeliveryMethod): boolean =>
  way.kind === "group" || (way.kind === "carried" && way.isHere);

/** Records a delivered message as a reply to an email of the API, if it is one. Never throws. */
async function recordReplies(
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
  await recordDeliveredReplies(db, { message, sender: envelopeFrom }, reached);
}

const RETRY_MS = 2_000;

/**
 * Lets deliveries be retried within seconds if they were deferred because the mailbox was switched to another mail host
 * meanwhile. Never throws: other recipients may have the message, and repeating the envelope would deliver it twice.
 *
 * @param resolved where the mailboxes were before the delivery
 */
async function retryMovedMailboxes(
  db: Db,
  outcomes: Outcome[],
  resolved: LocalAddresses["resolved"],
): Promise<Outcome[]> {
  const hostBefore = (recipient: string) => hostOf(resolved, recipient);
  const deferred = outcomes
    .filter(({ result, recipient }) => result === "delayed" && hostBefore(recipient) !== null)
    .map(({ recipient }) => recipient);
  if (deferred.length === 0) return outcomes;
  const current = await resolveRecipients(db, deferred).catch(() => resolved);
  const moved = new Set(
    deferred.filter((recipient) => {
      const host = hostOf(current, recipient);
      return host !== null && host !== hostBefore(recipient);
    }),
  );
  return outcomes.map((outcome) =>
    moved.has(outcome.recipient)
      ? {
          ...outcome,
          message: "The mailbox was just moved to another mail host",
          retryAt: Date.now() + RETRY_MS,
        }
      : outcome,
  );
}

/** The mail host that stores a recipient's mailbox; null without one. */
function hostOf(resolved: LocalAddresses["resolved"], recipient: string): string | null {
  const found = resolved.get(recipient);
  return found?.kind === "mailbox" ? found.storeHost : null;
}
