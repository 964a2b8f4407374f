import type { SigningDomain } from "#server/core/sending/dkim/load-signing-domains.ts";
import type { LeasedEmail } from "#server/core/sending/outbox/lease-due-emails.ts";
import { linkBase } from "#server/core/platform/certificates/tracking-hosts.ts";
import { loadAttachments } from "#server/core/sending/outbox/load-attachments.ts";
import { loadSource } from "#server/core/sending/outbox/load-source.ts";
import { unsubscribeSource } from "#server/core/sending/unsubscribe/hosted-unsubscribe.ts";
import type { Db } from "#server/db/client.ts";
import type { Signing } from "#worker/delivery/sign/dkim-sign.ts";
import { removeSignature } from "#worker/delivery/sign/remove-signature.ts";
import type { Attachment } from "#server/core/sending/compose/attachment-part.ts";
import type { ComposableEmail } from "#server/core/sending/compose/compose-message.ts";
import { sentHeaders } from "#server/core/sending/compose/sent-headers.ts";
import { trackSource } from "#server/core/sending/compose/track-source.ts";

import { permanentFailure, temporaryFailure, signedSevenBit, type Prepared } from "./prepared.ts";

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
  ...{ companyId: email.companyId, emailId: email.id, isTest: email.isTest, baseUrl },
  recipients: email.recipients.map(({ recipient }) => recipient),
});
