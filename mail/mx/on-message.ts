import { domainExists } from "#server/core/mail/authentication/domain-exists.ts";
import { isSpoof } from "#server/core/mail/authentication/is-spoof.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import {
  receivedField,
  ensureHeaderEnd,
  addTraceFields,
} from "#server/core/mail/authentication/trace-fields.ts";
import {
  type Verdict,
  VerificationTimeout,
  verifyMessage,
} from "#server/core/mail/authentication/verify-message.ts";
import { recordDeliveredReplies } from "#server/core/mail/replies/record-delivered-replies.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { checkSpam, type SpamVerdict } from "#server/core/mail/spam/check-spam.ts";

import { countDmarc } from "./count-dmarc.ts";
import { queueUndelivered } from "./queue-undelivered.ts";
import { deliverToInbound } from "./deliver-to-inbound.ts";
import { deliverToMailboxes } from "./deliver-to-mailboxes.ts";
import type { MxContext, Incoming, DeliveryRecipient } from "./mx-context.ts";
import { loopDetector } from "./loop-detector.ts";
import { quarantineIncoming } from "./quarantine-incoming.ts";
import { deliverToGroups } from "./deliver-to-groups.ts";
import { fingerprintOf, REPEATS_FOR_MS } from "./fingerprint.ts";
import { rejectAmbiguousFrom, rejectForged } from "./reject-forged.ts";
import { rejectUnlessAccepted, type DeliveryOutcome } from "./delivery-outcome.ts";
import { SmtpReply } from "./smtp-reply.ts";

type Delivery = Incoming & { deliverable: DeliveryRecipient[] };

/** A message with the results of all checks. */
export type ClassifiedMessage = Delivery & {
  /** With trace fields prepended. */
  message: Message;
  verdict: Verdict;
  spam: SpamVerdict;
  /** Identical for repeated deliveries. */
  fingerprint: string;
};

/**
 * Authenticates a message, checks it for spam, and delivers it to mailboxes, groups, inbound addresses and owners.
 *
 * @returns whether the message is not suspicious, and its recipients' outcomes
 * @throws SmtpReply when no recipient has it
 */
export async function onMessage(
  received: Message,
  incoming: Delivery,
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
      ...{
        session: incoming.id,
        from: incoming.sender,
        size: message.raw.length,
        spam: spam.action,
      },
      ...{ spf: verdict.spf.result, dkim: verdict.dkim.result, dmarc: verdict.dmarc.result },
      to: outcomes.map(({ recipient: { address }, status }) => `${status} ${address}`),
    },
    "message received",
  );
  return { isClean: spam.action === "deliver", outcomes };
}

/** @throws SmtpReply if verifying the signatures takes too long */
export async function authenticate(
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
  { sender, helo, clientAddress, deliverable }: Delivery,
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
  { helo, clientAddress, protocol, id, deliverable }: Delivery,
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
 * Delivers to mailboxes last: everything else is idempotent when the sender retries.
 *
 * @throws SmtpReply when no recipient has it
 */
async function deliverAll(
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
