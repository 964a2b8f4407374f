import { createHash } from "node:crypto";

import { domainExists } from "#server/core/mail/authentication/domain-exists.ts";
import { isSpoof } from "#server/core/mail/authentication/is-spoof.ts";
import { type HeaderFacts, readHeader } from "#server/core/shared/mime/read-header.ts";
import {
  receivedField,
  ensureHeaderEnd,
  addTraceFields,
} from "#server/core/mail/authentication/trace-fields.ts";
import { type Verdict, verifyMessage } from "#server/core/mail/authentication/verify-message.ts";
import { checkSpam, type SpamVerdict } from "#server/core/mail/spam/check-spam.ts";

import { carryTheRest } from "./carry-the-rest.ts";
import { deliverToMailboxes } from "./deliver-to-mailboxes.ts";
import type { Door, Incoming, Person } from "./door.ts";
import { hasBeenThere } from "./has-been-there.ts";
import { keepInQuarantine } from "./keep-in-quarantine.ts";
import { postToLists } from "./post-to-lists.ts";
import { refuseForged } from "./refuse-forged.ts";
import { refuseUnlessTaken, type Settled } from "./settled.ts";
import { SmtpReply } from "./smtp-reply.ts";

type ForPeople = Incoming & { people: Person[] };

/** A message with all that is known of it. */
export type Judged = ForPeople & {
  header: HeaderFacts;
  verdict: Verdict;
  spam: SpamVerdict;
  /** With our fields on top. */
  content: Buffer;
  /** Of what came: the same message again has the same. */
  fingerprint: string;
};

/**
 * Takes a message for people: verified, judged, and handed to mailboxes, groups and owners.
 *
 * @returns whether the message is not suspicious
 * @throws SmtpReply when none of them has it
 */
export async function onMessage(
  received: Buffer,
  incoming: ForPeople,
  door: Door,
): Promise<{ isClean: boolean }> {
  const { hostname, recent } = door;
  const message = ensureHeaderEnd(received);
  const header = readHeader(message);
  const verdict = await verifyMessage(
    { content: message, ...incoming },
    { resolver: recent, hostname },
  );
  // Those who can do something about trouble with mail are told of it, however it comes.
  const isForOwners = incoming.people.every(({ is }) => is === "owners");
  if (!isForOwners) refuseForged(header, verdict);
  const spam = await judge(message, incoming, { verdict, header, door });
  if (isForOwners ? spam.isVirus : spam.action === "reject")
    throw new SmtpReply(550, "5.7.1", "The message looks like spam or a virus");
  const ours = traceFields(incoming, { verdict, spam, hostname });
  const fingerprint = createHash("sha256").update(incoming.sender).update(message).digest("hex");
  const content = addTraceFields(message, hostname, ours);
  const settled = await settleAll(
    { ...incoming, header, verdict, spam, content, fingerprint },
    door,
  );
  door.log.info(
    {
      ...{ session: incoming.id, from: incoming.sender, size: message.length, spam: spam.action },
      ...{ spf: verdict.spf.result, dkim: verdict.dkim.result, dmarc: verdict.dmarc.result },
      to: settled.map(({ recipient: { address }, as }) => `${as} ${address}`),
    },
    "took a message",
  );
  return { isClean: spam.action === "deliver" };
}

async function judge(
  content: Buffer,
  { sender, helo, clientAddress, people }: ForPeople,
  { verdict, header, door }: { verdict: Verdict; header: HeaderFacts; door: Door },
): Promise<SpamVerdict> {
  const recipients = people.map(({ address }) => address);
  const envelope = { sender, recipients, helo, clientAddress };
  const judged = await checkSpam(door.db, { content, verdict, envelope }, door.resolver);
  if (judged.action !== "deliver") return judged;
  const finding = await suspicion(sender, { verdict, header, door });
  if (finding === null) return judged;
  return { ...judged, action: "junk", findings: [finding, ...judged.findings] };
}

/** The finding that sends a message to Junk whatever its content; null for none. */
async function suspicion(
  sender: string,
  { verdict, header, door }: { verdict: Verdict; header: HeaderFacts; door: Door },
): Promise<string | null> {
  // Only a bounce may lack an author; other mail without one is suspicious.
  if (header.fromAddresses === 0 && sender !== "") return "NO_AUTHOR";
  if (await isSpoof(verdict, door.domains)) return "OWN_DOMAIN_UNVERIFIED";
  const { fromDomain } = header;
  if (fromDomain === null || (await door.domains.companyOf(fromDomain)) !== null) return null;
  return (await domainExists(fromDomain, door.recent)) ? null : "FROM_DOMAIN_MISSING";
}

function traceFields(
  { helo, clientAddress, protocol, id, people }: ForPeople,
  { verdict, spam, hostname }: { verdict: Verdict; spam: SpamVerdict; hostname: string },
): string[] {
  const recipient = people.length === 1 ? people[0]!.address : null;
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

/**
 * Mailboxes last: all else makes nothing twice when the message has to come again.
 *
 * @throws SmtpReply when none of them has it
 */
async function settleAll(judged: Judged, door: Door): Promise<Settled[]> {
  const { people, sender, content, header, verdict, clientAddress, spam } = judged;
  const isHere = hasBeenThere(content);
  const settled: Settled[] = people
    .filter(isHere)
    .map((recipient) => ({ recipient, as: "loop" as const }));
  const rest = people.filter((recipient) => !isHere(recipient));
  const isKept = (one: Person) =>
    spam.action === "quarantine" && (one.is !== "owners" || spam.isVirus);
  settled.push(...(await keepInQuarantine(rest.filter(isKept), judged, door)));
  const open = rest.filter((one) => !isKept(one));
  const post = {
    ...{ id: judged.fingerprint, sender, from: verdict.from, author: null, content, clientAddress },
    isFromVerified: verdict.isFromVerified,
  };
  settled.push(...(await postToLists(door.db, open.filter(isList), post)));
  settled.push(...(await deliverToMailboxes(door, open.filter(isMailbox), { sender, content })));
  refuseUnlessTaken(settled);
  const isSenderTold = verdict.isSenderVerified;
  await carryTheRest(door.db, settled, { sender, isSenderTold, content, header, clientAddress });
  return settled;
}

const isMailbox = (one: Person) => one.is === "mailbox";
const isList = (one: Person) => one.is !== "mailbox";
