import { setTimeout as delay } from "node:timers/promises";

import pLimit from "p-limit";

import { toSevenBit } from "#server/core/shared/mime/seven-bit.ts";
import type { SevenBit } from "#worker/delivery/delivery.ts";
import type { SigningDomain } from "#server/core/sending/dkim/dkim-keys.ts";
import type { LeasedEmail } from "#server/core/sending/outbox/email-leases.ts";
import { linkBase } from "#server/core/platform/certificates/certificate-names.ts";
import {
  HEAVY_BYTES,
  loadAttachments,
  loadSource,
} from "#server/core/sending/outbox/queue-rows.ts";
import { unsubscribeSource } from "#server/core/sending/unsubscribe/hosted-unsubscribe.ts";
import type { Db } from "#server/db/client.ts";
import { removeSignature, type Signing } from "#worker/delivery/dkim.ts";
import type { Attachment } from "#server/core/sending/compose/attachment-part.ts";
import { type ComposableEmail, sentHeaders } from "#server/core/sending/compose/compose-message.ts";
import { trackSource } from "#server/core/sending/compose/track-source.ts";
import { headerFields, withoutFields } from "#server/core/shared/mime/header-fields.ts";
import type { LeasedMessage } from "#server/core/sending/messages/lease-due-messages.ts";
import { loadContent } from "#server/core/sending/messages/messages.ts";
import { backoffMs } from "#server/processes/run-loop.ts";
import { findOutgoingSpam } from "#server/core/mail/spam/outgoing-spam.ts";

/** The bytes to deliver, or why there are none: `isPermanent` means for good, else until an admin fixes it. */
export type Prepared =
  | { message: Buffer; sevenBit?: SevenBit }
  | { message: null; isPermanent: boolean; reason: string; error?: unknown };

const temporaryFailure = (reason: string, error?: unknown): Prepared => ({
  message: null,
  isPermanent: false,
  reason,
  error,
});

const permanentFailure = (reason: string, error?: unknown): Prepared => ({
  message: null,
  isPermanent: true,
  reason,
  error,
});

/** The message converted to ASCII and signed, built at most once. */
function signedSevenBit(message: Buffer, sign: (message: Buffer) => Promise<Buffer>): SevenBit {
  let made: ReturnType<SevenBit> | null = null;
  const make = async () => {
    const converted = toSevenBit(message);
    return converted && sign(converted);
  };
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    }));
}

/** How messages are composed and signed; tests replace both. */
export type MessageMaker = {
  compose: (email: ComposableEmail) => Promise<Buffer>;
  sign: (message: Buffer, signer: SigningDomain, signing: Signing) => Promise<Buffer>;
};

type Sources = MessageMaker & { db: Db; baseUrl: string };

/**
 * Builds the message of an email, once for all its recipients. Attachments are loaded here, so that memory
 * only holds those of messages in preparation. Never throws: one bad email must not stop the others.
 */
export async function prepareMessage(
  email: LeasedEmail,
  found: SigningDomain | Error | undefined,
  { compose, sign, db, baseUrl }: Sources,
): Promise<Prepared> {
  if (email.domainId === null) return permanentFailure("The sending domain was deleted");
  const signer = email.isTest ? orUnsigned(found) : found;
  if (signer === undefined) return temporaryFailure("The sending domain has no DKIM key");
  if (signer instanceof Error)
    return temporaryFailure("The DKIM key of the sending domain is unusable", signer);

  const links = linkBase(baseUrl, signer.trackingHost);
  const made = email.hasSource
    ? await readSource(email, signer, { db, baseUrl: links })
    : await composeEmail(email, { compose, db, baseUrl: links });
  if (made.message === null) return made;
  const signed = (message: Buffer) => sign(message, signer, { now: new Date(), isAutomated: true });
  try {
    const message = await signed(made.message);
    return email.hasSource
      ? { message, sevenBit: signedSevenBit(made.message, signed) }
      : { message };
  } catch (error) {
    return temporaryFailure("The message could not be signed", error);
  }
}

/** Test emails can be from domains that aren't verified and so have no keys. */
const orUnsigned = (found: SigningDomain | Error | undefined): SigningDomain =>
  found && !(found instanceof Error)
    ? found
    : { domain: "", keys: [], returnPath: null, trackingHost: null };

async function composeEmail(
  email: LeasedEmail,
  { compose, db, baseUrl }: Omit<Sources, "sign">,
): Promise<Prepared> {
  let attachments: Attachment[];
  try {
    attachments = email.hasAttachments ? await loadAttachments(db, email.id) : [];
  } catch (error) {
    return temporaryFailure("The email's attachments can't be read", error);
  }
  try {
    return { message: await compose(composable(email, attachments, baseUrl)) };
  } catch (error) {
    return permanentFailure("The message could not be composed", error);
  }
}

/** An email submitted over SMTP is sent as written, except for tracking and the unsubscribe link. */
async function readSource(
  email: LeasedEmail,
  signer: SigningDomain,
  { db, baseUrl }: Pick<Sources, "db" | "baseUrl">,
): Promise<Prepared> {
  const { id: emailId, openTracking: opens, clickTracking: clicks } = email;
  let source: Buffer | null;
  try {
    source = await loadSource(db, emailId);
  } catch (error) {
    return temporaryFailure("The message cannot be read", error);
  }
  if (!source) return permanentFailure("The message is no longer stored");
  try {
    const message = unsubscribeSource(
      removeSignature(source, signer),
      email.body?.headers ?? {},
      unsubscribeTarget(email, baseUrl),
    );
    const isTracked = opens || clicks;
    return {
      message: isTracked ? trackSource(message, { emailId, baseUrl, opens, clicks }) : message,
    };
  } catch (error) {
    return permanentFailure("The message could not be prepared", error);
  }
}

function composable(
  email: LeasedEmail,
  attachments: Attachment[],
  baseUrl: string,
): ComposableEmail {
  const { id, messageId, sentAt, subject, body, openTracking, clickTracking } = email;
  if (messageId === null || sentAt === null || body === null)
    throw new Error(`Email ${id} is in the outbox without a message id, sent time or body`);
  const tracking =
    openTracking || clickTracking
      ? { emailId: id, baseUrl, opens: openTracking, clicks: clickTracking }
      : null;
  const { campaign } = email;
  const headers = sentHeaders(body.headers, { ...unsubscribeTarget(email, baseUrl), campaign });
  const date = new Date(sentAt);
  return { messageId, date, subject, ...body, headers, attachments, tracking };
}

const unsubscribeTarget = (email: LeasedEmail, baseUrl: string) => ({
  companyId: email.companyId,
  emailId: email.id,
  isTest: email.isTest,
  baseUrl,
  recipients: email.recipients.map(({ recipient }) => recipient),
});

type Dependencies = Pick<MessageMaker, "sign"> & { db: Db };

/**
 * Loads the bytes of a message and, if it has a signing domain, signs them with that domain's active keys,
 * replacing earlier signatures of the same keys. Never throws.
 *
 * @param signer ignored if the message isn't signed
 */
export async function prepareStored(
  { id, signingDomainId }: LeasedMessage,
  signer: SigningDomain | Error | undefined,
  { db, sign }: Dependencies,
): Promise<Prepared> {
  if (signingDomainId !== null) {
    if (signer === undefined)
      return temporaryFailure("The sending domain has no DKIM key here, or was deleted");
    if (signer instanceof Error)
      return temporaryFailure("The DKIM key of the sending domain is unusable", signer);
  }
  let content: Buffer | null;
  try {
    content = await loadWithRetry(db, id);
  } catch (error) {
    return temporaryFailure("The message cannot be read", error);
  }
  if (!content) return permanentFailure("The message is no longer stored");
  if (signingDomainId === null || !signer || signer instanceof Error) return unsigned(content);
  return signed(content, signer, sign);
}

async function signed(
  content: Buffer,
  signer: SigningDomain,
  sign: MessageMaker["sign"],
): Promise<Prepared> {
  const bare = removeSignature(content, signer);
  const seal = (message: Buffer) => sign(message, signer, { now: new Date(), isAutomated: false });
  try {
    return { message: await seal(bare), sevenBit: signedSevenBit(bare, seal) };
  } catch (error) {
    return temporaryFailure("The message could not be signed", error);
  }
}

/**
 * A message signed by others must not be changed. Our own ARC set doesn't count; it's omitted from the
 * converted message.
 */
function unsigned(message: Buffer): Prepared {
  const fields = headerFields(message);
  const sets = fields.filter(({ name }) => name === "arc-seal").length;
  if (sets > 1 || fields.some(({ name }) => name === "dkim-signature")) return { message };
  const seal = fields.filter(({ name }) => name.startsWith("arc-"));
  const bare = withoutFields(message, seal);
  return { message, sevenBit: signedSevenBit(bare, (converted) => Promise.resolve(converted)) };
}

/**
 * Waits for a database that restarts: deferring the message would take longer, and isn't the recipient's
 * fault.
 */
async function loadWithRetry(db: Db, id: string): Promise<Buffer | null> {
  for (let failures = 1; ; failures++) {
    try {
      return await loadContent(db, id);
    } catch (error) {
      if (failures >= TRIES) throw error;
      await delay(backoffMs(failures), null, { ref: false });
    }
  }
}

/** About fifteen seconds: half a lease. */
const TRIES = 9;

/**
 * Scans a prepared email before each attempt, if its company scans outgoing mail: earlier ones may have ended before the
 * scan. Spam fails, and is listed with the reason.
 */
export async function rejectSpam(
  prepared: Prepared,
  { companyId, body, recipients }: LeasedEmail,
  db: Db,
): Promise<Prepared> {
  const { message } = prepared;
  if (message === null) return prepared;
  try {
    const spam = await findOutgoingSpam(db, {
      companyId,
      content: message,
      clientAddress: null,
      author: body?.addressHeaders.from.address ?? "",
      recipients: recipients.map(({ recipient }) => recipient),
    });
    return spam ? permanentFailure(spam.reason) : prepared;
  } catch (error) {
    return temporaryFailure("The message can't be checked for spam", error);
  }
}

/** Light messages of a lease prepared at the same time: enough to keep the thread pool busy. */
const LANES = 16;
const heavyLane = pLimit(1);

/**
 * Composes or signs one heavy message at a time, for all pumps: each keeps the event loop busy, and all others would wait
 * for several of them. Don't wait for other programs in it, such as the spam filter.
 */
export const inHeavyLane = <T>(size: number, work: () => Promise<T>): Promise<T> =>
  size > HEAVY_BYTES ? heavyLane(work) : work();

/** Prepares leased messages, all heavy ones at the same time. Resolves once all are prepared. */
export async function inLanes<Item extends { size: number }>(
  items: Item[],
  prepare: (item: Item) => Promise<void>,
): Promise<void> {
  const heavy = items.filter(({ size }) => size > HEAVY_BYTES);
  const light = items.filter(({ size }) => size <= HEAVY_BYTES).values();
  const lane = async () => {
    for (const item of light) await prepare(item);
  };
  await Promise.all([
    ...Array.from({ length: LANES }, lane),
    ...heavy.map((item) => prepare(item)),
  ]);
}
