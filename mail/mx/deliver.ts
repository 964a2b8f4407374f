import { createHash } from "node:crypto";

import type { Verdict } from "#server/core/mail/authentication/verify-message.ts";
import type { SpamVerdict } from "#server/core/mail/spam/check-spam.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import { receiveEmail } from "#server/core/mail/received/receive-email.ts";
import type { ReceivingError } from "#server/core/mail/received/receiving-limits.ts";
import type { Db } from "#server/db/client.ts";
import {
  type Post,
  type Posted,
  postToGroup,
} from "#server/core/mail/group-posts/post-to-group.ts";
import { postToOwners } from "#server/core/mail/group-posts/post-to-owners.ts";
import type { Outcome } from "#mail/smtp/outcome.ts";
import { findWithoutRoom } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { deriveId } from "#server/core/shared/derive-id.ts";
import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";
import { acceptMessage, wakeMessages } from "#server/core/sending/messages/messages.ts";

import type { DeliveryRecipient, Incoming, MxContext } from "./mx-context.ts";
import { SmtpReply } from "./smtp-reply.ts";

export type IncomingDelivery = Incoming & { deliverable: DeliveryRecipient[] };

/** A message with the results of all checks. */
export type ClassifiedMessage = IncomingDelivery & {
  /** With trace fields prepended. */
  message: Message;
  verdict: Verdict;
  spam: SpamVerdict;
  /** Identical for repeated deliveries. */
  fingerprint: string;
};

/**
 * Delivers to mailboxes last: everything else is idempotent when the sender retries.
 *
 * @throws SmtpReply when no recipient has it
 */
export async function deliverAll(
  classified: ClassifiedMessage,
  context: MxContext,
): Promise<DeliveryOutcome[]> {
  const { deliverable, sender, message, verdict, clientAddress, spam } = classified;
  const isLoop = loopDetector(message);
  const outcomes: DeliveryOutcome[] = deliverable
    .filter(isLoop)
    .map((recipient) => ({ recipient, status: "loop" as const }));
  const rest = deliverable.filter((recipient) => !isLoop(recipient));
  // Owners and programs get spam with its mark.
  const shouldQuarantine = ({ kind }: DeliveryRecipient) =>
    spam.action === "quarantine" && (spam.isVirus || (kind !== "owners" && kind !== "inbound"));
  outcomes.push(...(await quarantineIncoming(rest.filter(shouldQuarantine), classified, context)));
  const open = rest.filter((one) => !shouldQuarantine(one));
  const post = {
    id: classified.fingerprint,
    repeatsForMs: REPEATS_FOR_MS,
    sender,
    from: verdict.from,
    author: null,
    message,
    clientAddress,
    isFromVerified: verdict.isFromVerified,
  };
  outcomes.push(...(await deliverToInbound(context.db, open.filter(isInbound), classified)));
  outcomes.push(...(await deliverToGroups(context.db, open.filter(isGroup), post)));
  outcomes.push(
    ...(await deliverToMailboxes(context, open.filter(isMailbox), {
      sender,
      content: message.raw,
    })),
  );
  rejectUnlessAccepted(outcomes);
  await queueUndelivered(context.db, outcomes, {
    sender,
    isSenderTold: verdict.isSenderVerified,
    message,
    clientAddress,
  });
  return outcomes;
}

const isMailbox = (one: DeliveryRecipient) => one.kind === "mailbox";
const isInbound = (one: DeliveryRecipient) => one.kind === "inbound";
const isGroup = (one: DeliveryRecipient) => one.kind === "group" || one.kind === "owners";

/** What happened to a message for one recipient. */
export type DeliveryOutcome =
  /** Committed or delivered; or discarded, with a reason; or held, and for whom. */
  | { recipient: DeliveryRecipient; status: "accepted"; discarded?: string; held?: string }
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

type InboundRecipient = Extract<DeliveryRecipient, { kind: "inbound" }>;

/** Stores a message for the API, once per company. `accepted` means committed. Idempotent while the sender retries. */
async function deliverToInbound(
  db: Db,
  recipients: InboundRecipient[],
  { sender, message, fingerprint }: { sender: string; message: Message; fingerprint: string },
): Promise<DeliveryOutcome[]> {
  const outcomes: DeliveryOutcome[] = [];
  const byCompany = Map.groupBy(recipients, ({ companyId }) => companyId);
  for (const [companyId, all] of byCompany) {
    const byAddress = new Map(all.map(({ address, written = address }) => [address, written]));
    const receivedFor = [...byAddress.values()];
    const error = await receiveEmail(db, {
      key: fingerprint,
      repeatsForMs: REPEATS_FOR_MS,
      companyId,
      receivedFor,
      sender,
      message,
      isChecked: true,
    });
    for (const recipient of all)
      outcomes.push(
        error
          ? { recipient, status: "deferred", reply: receivingReply(error) }
          : { recipient, status: "accepted" },
      );
  }
  return outcomes;
}

/** 452 for a full storage, like that of a full mailbox. */
export const receivingReply = ({ enhancedCode, text }: ReceivingError): SmtpReply =>
  new SmtpReply(enhancedCode === "4.2.2" ? 452 : 451, enhancedCode, text);

type GroupRecipient = Extract<DeliveryRecipient, { kind: "group" | "owners" }>;

/** Posts a message to groups and owners. `accepted` means committed. Idempotent. */
async function deliverToGroups(
  db: Db,
  recipients: GroupRecipient[],
  post: Post,
): Promise<DeliveryOutcome[]> {
  const outcomes: DeliveryOutcome[] = [];
  for (const recipient of recipients) {
    const posted =
      recipient.kind === "group"
        ? await postToGroup(db, recipient.group, post)
        : await postToOwners(db, recipient.companyId, recipient.address, post);
    outcomes.push(groupOutcome(recipient, posted));
  }
  return outcomes;
}

function groupOutcome(recipient: GroupRecipient, posted: Posted): DeliveryOutcome {
  if (posted.kind === "discarded")
    return { recipient, status: "accepted", discarded: posted.reason };
  if (posted.kind === "held")
    return { recipient, status: "accepted", held: "waiting for a moderator of the group" };
  if (posted.kind !== "refused") return { recipient, status: "accepted" };
  const { enhancedCode, text } = posted;
  if (enhancedCode === "5.4.6") return { recipient, status: "loop" };
  return enhancedCode.startsWith("4.")
    ? { recipient, status: "deferred", reply: new SmtpReply(451, enhancedCode, text) }
    : { recipient, status: "rejected", reply: new SmtpReply(550, enhancedCode, text) };
}

export type MailboxRecipient = Extract<DeliveryRecipient, { kind: "mailbox" }>;

/**
 * Delivers a message to Dovecot, one copy per mailbox even if several of its addresses are recipients.
 * `accepted` means that Dovecot replied 250. Errors of Dovecot become outcomes.
 */
export async function deliverToMailboxes(
  context: Pick<MxContext, "db" | "store" | "lmtpPlace">,
  recipients: MailboxRecipient[],
  message: { sender: string; content: Buffer },
): Promise<DeliveryOutcome[]> {
  const first = new Map<string, MailboxRecipient>();
  for (const recipient of recipients)
    if (!first.has(recipient.mailbox)) first.set(recipient.mailbox, recipient);
  const full = await findWithoutRoom(context.db, first.values(), message.content.length);
  const rejected = [...full].map((mailbox) => first.get(mailbox)!);
  for (const mailbox of full) first.delete(mailbox);
  const byHost = Map.groupBy(first.values(), ({ storeHost }) => storeHost);
  const delivered = [...byHost].map(([storeHost, all]) =>
    deliverToHost(context, all, { storeHost, ...message }),
  );
  return [...rejected.map(deferFull), ...(await Promise.all(delivered)).flat()];
}

async function deliverToHost(
  { store, lmtpPlace }: Pick<MxContext, "store" | "lmtpPlace">,
  recipients: MailboxRecipient[],
  { storeHost, sender, content }: { storeHost: string | null; sender: string; content: Buffer },
): Promise<DeliveryOutcome[]> {
  const outcomes = await store.deliver({
    at: lmtpPlace(storeHost),
    envelopeFrom: sender,
    recipients: recipients.map(({ address }) => address),
    message: content,
  });
  return recipients.map((recipient, at) => mailboxOutcome(recipient, outcomes[at]!));
}

const deferFull = (recipient: MailboxRecipient): DeliveryOutcome => ({
  recipient,
  status: "deferred",
  reply: new SmtpReply(452, "4.2.2", "The mailbox is full"),
});

/** Does not pass on Dovecot's texts, which contain file paths and settings. */
function mailboxOutcome(recipient: MailboxRecipient, { result, dsn }: Outcome): DeliveryOutcome {
  if (result === "delivered") return { recipient, status: "accepted" };
  if (dsn.endsWith(".2.2")) return deferFull(recipient);
  if (result === "delayed")
    return {
      recipient,
      status: "deferred",
      reply: new SmtpReply(451, "4.3.0", "Mailboxes are temporarily unavailable, try again later"),
    };
  const reply = dsn.startsWith("5.1.")
    ? new SmtpReply(550, "5.1.1", "No such recipient here")
    : new SmtpReply(550, "5.0.0", "The mailbox rejected the message");
  return { recipient, status: "rejected", reply };
}

/**
 * Puts a message in quarantine, once per company for its mailboxes and once per group. `accepted` means
 * committed. Idempotent.
 */
async function quarantineIncoming(
  deliverable: DeliveryRecipient[],
  { sender, message, clientAddress, spam, fingerprint }: ClassifiedMessage,
  { db }: Pick<MxContext, "db">,
): Promise<DeliveryOutcome[]> {
  const shares = new Map<string, { companyId: string; recipients: Set<string> }>();
  for (const recipient of deliverable) {
    // Owners already see the quarantine in the console.
    if (recipient.kind === "owners") continue;
    const { companyId } = recipient;
    const share = recipient.kind === "group" ? recipient.group : companyId;
    const { recipients } = shares.get(share) ?? { recipients: new Set() };
    recipients.add(quarantinedAs(recipient));
    shares.set(share, { companyId, recipients });
  }
  for (const { companyId, recipients } of shares.values())
    await quarantineMessage(db, {
      // The same message may arrive separately for other recipients.
      id: deriveId(fingerprint, [...recipients].sort().join(" ")),
      companyId,
      recipients: [...recipients],
      sender,
      clientAddress,
      content: message.raw,
      score: spam.score,
      findings: spam.findings,
      reason: spam.isVirus ? "virus" : "spam",
      headerFrom: message.header.headerFrom,
      subject: message.header.subject,
    });
  return deliverable.map((recipient) => ({ recipient, status: "accepted", held: "in quarantine" }));
}

function quarantinedAs(recipient: Exclude<DeliveryRecipient, { kind: "owners" }>): string {
  if (recipient.kind === "group") return recipient.group;
  return recipient.kind === "mailbox" ? recipient.mailbox : recipient.address;
}

/**
 * Queues a message that some recipients have already received for those that have not: the sender gets a
 * 250 for all of them. Deferred recipients are retried. A rejection is repeated from the queue, which records it and,
 * unless the sender may be forged, sends the bounce message.
 */
async function queueUndelivered(
  db: Db,
  outcomes: DeliveryOutcome[],
  {
    sender,
    isSenderTold,
    message,
    clientAddress,
  }: { sender: string; isSenderTold: boolean; message: Message; clientAddress: string },
): Promise<void> {
  const byCompany = groupByCompany(outcomes);
  for (const [companyId, rest] of byCompany)
    await acceptMessage(db, {
      companyId,
      origin: "incoming",
      mailbox: null,
      groupAddress: null,
      sender,
      isSenderTold,
      signingDomainId: null,
      clientAddress,
      content: message.raw,
      recipients: rest.map(({ address, written }) => ({ address, written })),
      headerFrom: message.header.headerFrom,
      subject: message.header.subject,
      messageId: message.messageId,
    });
  if (byCompany.size > 0) wakeMessages(db);
}

/** Addresses to queue, by company. */
function groupByCompany(outcomes: DeliveryOutcome[]): Map<string, DeliveryOutcome["recipient"][]> {
  // The host's own postmaster belongs to no company: queue it with another recipient's.
  const any = outcomes.find(({ recipient }) => recipient.companyId)?.recipient.companyId;
  const byCompany = new Map<string, DeliveryOutcome["recipient"][]>();
  for (const { recipient, status } of outcomes) {
    const isQueued = status === "deferred" || status === "rejected";
    const companyId = recipient.companyId ?? any;
    if (isQueued && companyId)
      byCompany.set(companyId, [...(byCompany.get(companyId) ?? []), recipient]);
  }
  return byCompany;
}

/** How long the same fingerprint means a repeated delivery: servers retry for up to five days (RFC 5321, 4.5.4.1). */
const REPEATS_FOR_MS = 5 * 86_400_000;

/**
 * Identifies a message to recognize it when its sender didn't get our reply and delivers it again: the hash of its bytes.
 * Identical bytes without Message-ID and Date may be different messages, such as a device's fixed alerts, so each counts as new.
 */
export function fingerprintOf(
  message: Message,
  { id, sender }: Pick<Incoming, "id" | "sender">,
): string {
  const isIdentified = [...message.values("message-id"), ...message.values("date")].some(
    (value) => value !== "",
  );
  const hash = createHash("sha256").update(sender).update(message.raw);
  return (isIdentified ? hash : hash.update(`\n${id}`)).digest("hex");
}

/**
 * Tells which recipients a message was already delivered to: each delivery adds a Delivered-To field
 * (RFC 5321, 6.3; RFC 9228). Groups and owners detect loops themselves.
 */
export function loopDetector(message: Message): (person: DeliveryRecipient) => boolean {
  const places = new Set(
    message.values("delivered-to").map((value) => value.replace(/^<|>$/g, "").toLowerCase()),
  );
  return (person) =>
    person.kind === "mailbox" && (places.has(person.mailbox) || places.has(person.address));
}
