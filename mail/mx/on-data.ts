import { handleIncoming } from "#server/core/mail/incoming/handle-incoming.ts";
import { withoutMboxLine } from "#server/core/shared/mime/header-fields.ts";
import { type HeaderFacts, Message } from "#server/core/shared/mime/message.ts";
import { domainExists, isSpoof } from "#server/core/mail/authentication/owned-domains.ts";
import {
  addTraceFields,
  ensureHeaderEnd,
  receivedField,
} from "#server/core/mail/authentication/trace-fields.ts";
import {
  type Verdict,
  VerificationTimeout,
  verifyMessage,
} from "#server/core/mail/authentication/verify-message.ts";
import { recordDeliveredReplies } from "#server/core/mail/replies/record-reply.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { checkSpam, type SpamVerdict } from "#server/core/mail/spam/check-spam.ts";
import { toDmarcRow } from "#server/core/mail/sent-reports/dmarc-reports.ts";

import { requireSafeContent } from "./check-content.ts";
import {
  deliverAll,
  type DeliveryOutcome,
  fingerprintOf,
  type IncomingDelivery,
} from "./deliver.ts";
import type { AcceptedRecipient, Incoming, MxContext } from "./mx-context.ts";
import { SmtpReply } from "./smtp-reply.ts";

/**
 * Handles a received message for all its recipients. It is committed or in the mailboxes when this resolves.
 *
 * @returns whether the message isn't suspicious (false if it is only for our own addresses), and the outcomes of all
 *   recipients except those addresses
 * @throws SmtpReply
 */
export async function receiveMessage(
  received: Message,
  incoming: Incoming,
  context: MxContext,
): Promise<{ isClean: boolean; outcomes: DeliveryOutcome[] }> {
  const raw = withoutMboxLine(received.raw);
  const message = raw === received.raw ? received : new Message(raw);
  requireSafeContent(message);
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

/**
 * Authenticates a message, checks it for spam, and delivers it to mailboxes, groups, inbound addresses and owners.
 *
 * @returns whether the message is not suspicious, and its recipients' outcomes
 * @throws SmtpReply when no recipient has it
 */
async function onMessage(
  received: Message,
  incoming: IncomingDelivery,
  context: MxContext,
): Promise<{ isClean: boolean; outcomes: DeliveryOutcome[] }> {
  const { hostname } = context;
  const message = ensureHeaderEnd(received);
  // Postmaster and abuse must be reachable even for senders whose mail fails authentication.
  const isForOwners = incoming.deliverable.every(({ kind }) => kind === "owners");
  rejectAmbiguousFrom(message.header, { isForOwners });
  const verdict = await authenticate(message, incoming, context);
  const count = (action: SpamVerdict["action"] | null) =>
    countDmarc(context, incoming, { verdict, action });
  if (!isForOwners) rejectForged(verdict, () => count(null));
  const spam = await classifySpam(message, incoming, { verdict, context });
  if (isForOwners ? spam.isVirus : spam.action === "reject") {
    count(spam.action);
    throw new SmtpReply(550, "5.7.1", "Message rejected as spam or a virus");
  }
  const ours = traceFields(incoming, { verdict, spam, hostname });
  const fingerprint = fingerprintOf(message, incoming);
  const traced = addTraceFields(message, hostname, ours);
  const outcomes = await deliverAll(
    { ...incoming, message: traced, verdict, spam, fingerprint },
    context,
  );
  await recordReplies(outcomes, {
    sender: incoming.sender,
    message: traced,
    spam,
    db: context.db,
  });
  // Not before: what is deferred comes again.
  count(spam.action);
  context.log.info(
    {
      session: incoming.id,
      from: incoming.sender,
      size: message.raw.length,
      spam: spam.action,
      spf: verdict.spf.result,
      dkim: verdict.dkim.result,
      dmarc: verdict.dmarc.result,
      to: outcomes.map(({ recipient: { address }, status }) => `${status} ${address}`),
    },
    "message received",
  );
  return { isClean: spam.action === "deliver", outcomes };
}

/** @throws SmtpReply if verifying the signatures takes too long */
async function authenticate(
  message: Message,
  incoming: Incoming,
  { db, cachedResolver: resolver, hostname }: MxContext,
): Promise<Verdict> {
  const { arc_trusted_sealers: sealers } = await currentSettings(db);
  try {
    return await verifyMessage(
      { message, ...incoming },
      { resolver, hostname, trustedSealers: sealers.split(",") },
    );
  } catch (error) {
    if (!(error instanceof VerificationTimeout)) throw error;
    throw new SmtpReply(451, "4.7.1", "Verifying the message took too long, try again later");
  }
}

async function classifySpam(
  message: Message,
  { sender, helo, clientAddress, deliverable }: IncomingDelivery,
  { verdict, context }: { verdict: Verdict; context: MxContext },
): Promise<SpamVerdict> {
  const recipients = deliverable.map(({ address }) => address);
  const envelope = { sender, recipients, helo, clientAddress };
  const judged = await checkSpam(
    context.db,
    { content: message.raw, verdict, envelope },
    context.resolver,
  );
  if (judged.action !== "deliver") return judged;
  const finding = await findSuspicion(sender, { verdict, header: message.header, context });
  if (finding === null) return judged;
  return { ...judged, action: "junk", findings: [finding, ...judged.findings] };
}

/** The finding that sends a message to Junk regardless of its content, or null. */
async function findSuspicion(
  sender: string,
  { verdict, header, context }: { verdict: Verdict; header: Message["header"]; context: MxContext },
): Promise<string | null> {
  // Only a bounce may lack an author; other mail without one is suspicious.
  if (header.fromAddresses === 0 && sender !== "") return "NO_AUTHOR";
  if (await isSpoof(verdict, context.domains)) return "OWN_DOMAIN_UNVERIFIED";
  const { fromDomain } = header;
  if (fromDomain === null || (await context.domains.companyOf(fromDomain)) !== null) return null;
  return (await domainExists(fromDomain, context.cachedResolver)) ? null : "FROM_DOMAIN_MISSING";
}

function traceFields(
  { helo, clientAddress, protocol, id, deliverable }: IncomingDelivery,
  { verdict, spam, hostname }: { verdict: Verdict; spam: SpamVerdict; hostname: string },
): string[] {
  const recipient =
    deliverable.length === 1 ? (deliverable[0]!.written ?? deliverable[0]!.address) : null;
  const hop = { helo, clientAddress, hostname, protocol, id, recipient, now: new Date() };
  return [
    receivedField(hop),
    verdict.header,
    ...(spam.action === "deliver" ? [] : ["X-Posthouse-Junk: yes\r\n"]),
    ...(spam.score === null
      ? []
      : [`X-Posthouse-Spam: ${[spam.score.toFixed(2), ...spam.findings].join("\r\n\t")}\r\n`]),
  ];
}

/** Records a reply that mailboxes and groups have. Inbound addresses record it when the message is parsed. */
async function recordReplies(
  outcomes: DeliveryOutcome[],
  {
    db,
    spam,
    ...received
  }: { db: MxContext["db"]; spam: SpamVerdict; sender: string; message: Message },
): Promise<void> {
  // Quarantine keeps it from them. A release delivers it again.
  if (spam.action === "quarantine") return;
  const reached = outcomes.flatMap(({ recipient, status }) =>
    status === "accepted" && (recipient.kind === "mailbox" || recipient.kind === "group")
      ? [recipient]
      : [],
  );
  await recordDeliveredReplies(db, received, reached);
}

/**
 * Rejects a From that can't be verified, before any parser reads more of it: several fields, several addresses, or an
 * address without a domain (RFC 7489, 6.6.1). A From without an address passes.
 *
 * @param options.isForOwners whether it is only for postmaster and abuse: several authors may then write with a Sender
 *   (RFC 5322, 3.6.2)
 * @throws SmtpReply
 */
function rejectAmbiguousFrom(
  { fromFields, fromAddresses, fromDomain, hasSender }: HeaderFacts,
  { isForOwners }: { isForOwners: boolean },
): void {
  const hasManyAuthors = fromAddresses > 1 && !(isForOwners && hasSender);
  const isInvalid = fromAddresses === 1 && fromDomain === null && !isForOwners;
  if (fromFields > 1 || hasManyAuthors || isInvalid)
    throw new SmtpReply(
      550,
      "5.7.1",
      "The message must have exactly one From field with one valid address",
    );
}

/**
 * Enforces DMARC `reject` policies (RFC 7489).
 *
 * @param onPolicy called before a `reject` policy is enforced
 * @throws SmtpReply
 */
function rejectForged(
  { dmarc, isUncertain }: Pick<Verdict, "dmarc" | "isUncertain">,
  onPolicy: () => void = () => undefined,
): void {
  if (dmarc.result !== "fail" || dmarc.policy !== "reject") return;
  if (isUncertain)
    throw new SmtpReply(451, "4.7.1", `DNS lookup for ${dmarc.domain} failed, try again later`);
  onPolicy();
  throw new SmtpReply(
    550,
    "5.7.26",
    `Rejected by the DMARC policy of ${dmarc.domain}: the message is not authenticated`,
  );
}

/**
 * Counts a message for the DMARC report to its sender's domain, with what the domain's policy did to it. Mail that failed
 * for lack of DNS comes again.
 *
 * @param action what became of it; null: rejected by the policy
 */
export function countDmarc(
  { countDmarc: count }: Pick<MxContext, "countDmarc">,
  { clientAddress }: Pick<Incoming, "clientAddress">,
  { verdict, action }: { verdict: Verdict; action: SpamVerdict["action"] | null },
): void {
  if (verdict.dmarc.result === "fail" && verdict.isUncertain) return;
  const row = toDmarcRow(verdict, { clientAddress, disposition: dispositionOf(verdict, action) });
  if (row) count(row);
}

function dispositionOf({ dmarc }: Verdict, action: SpamVerdict["action"] | null) {
  if (dmarc.result !== "fail" || dmarc.policy === "none" || action === "deliver") return "none";
  return action === null ? "reject" : "quarantine";
}
