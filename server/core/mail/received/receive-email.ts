import { and, eq, or, sql } from "drizzle-orm";

import { receivedContents, type ReceivedEmail, receivedEmails } from "#drizzle/schema/index.ts";
import { attachmentId } from "#server/core/sending/emails/attachments.ts";
import type { Context } from "#server/core/shared/context.ts";
import { deriveRepeatIds, type RepeatIds } from "#server/core/shared/derive-id.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import { publishEvent } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import type { ParsedFile } from "./internal/parse-content.ts";
import { contentDisposition } from "./received-emails.ts";
import { checkReceivingLimits, type ReceivingError } from "./receiving-limits.ts";

/** A message for inbound addresses of one company. */
export type Arrival = {
  /** Key of the message: identical for repeated deliveries. */
  key: string;
  /** How long an identical key means a repeated delivery, in milliseconds; null for always. */
  repeatsForMs: number | null;
  companyId: string;
  /** The addresses that it was sent to. */
  receivedFor: string[];
  /** Return path; "" for none. */
  sender: string;
  /** With CRLF line ends and our trace fields. */
  message: Message;
  /** Whether it was checked on arrival from outside. */
  isChecked: boolean;
};

/** Below the largest smallint. */
const PRIORITY_MAX = 10_000;

/**
 * Stores a message for the API, once even if it is delivered repeatedly. It is committed when this resolves; the job
 * `parse_received` then parses it and publishes `email.received`.
 *
 * @returns the error for the sender while a limit is reached, or null
 */
export async function receiveEmail(db: Db, arrival: Arrival): Promise<ReceivingError | null> {
  const { companyId, sender, message } = arrival;
  const receivedFor = [...new Set(arrival.receivedFor)].toSorted();
  const ids = deriveRepeatIds(arrival, `${companyId} ${receivedFor.join(" ")}`);
  if (await isStored(db, ids)) return null;
  const { id } = ids;
  const checked = await checkReceivingLimits({ db, companyId });
  if (checked.error) return checked.error;
  // A company's flood waits behind what others receive.
  const priority = Math.min(checked.recent, PRIORITY_MAX);
  const { headerFrom, subject, messageId } = message.header;
  await db.transaction(async (tx) => {
    const [made] = await tx
      .insert(receivedEmails)
      .values({
        id,
        companyId,
        sender,
        receivedFor,
        headerFrom,
        subject,
        messageId,
        ...readChecks(message, arrival),
        size: message.raw.length,
      })
      .onConflictDoNothing({ target: receivedEmails.id })
      .returning({ id: receivedEmails.id });
    if (!made) return;
    await tx.insert(receivedContents).values({ emailId: id, content: message.raw });
    await enqueue(tx, "parse_received", { id, companyId }, { priority });
  });
  return null;
}

async function isStored(db: Db, { id, previous, repeatsForMs }: RepeatIds): Promise<boolean> {
  const isRecent = sql`${receivedEmails.createdAt} >
    statement_timestamp() - ${repeatsForMs} * interval '1 millisecond'`;
  const isSame = eq(receivedEmails.id, id);
  const isRepeated = previous ? or(isSame, and(eq(receivedEmails.id, previous), isRecent)) : isSame;
  return (await db.$count(receivedEmails, isRepeated)) > 0;
}

const PAYLOAD_BYTES_MAX = 256 * 1024;

/** Limit per field, for an event that would be larger. */
const ADDRESSES_MAX = 20;

type File = Pick<ParsedFile, "filename" | "contentType" | "isInline" | "contentId">;

/**
 * Publishes `email.received`, without bodies: receivers retrieve them from the API. Call it in the transaction that
 * stores what was parsed.
 */
export async function publishReceived(
  ctx: Context,
  email: ReceivedEmail,
  files: readonly File[],
): Promise<void> {
  const data = {
    email_id: email.id,
    created_at: new Date(email.createdAt).toISOString(),
    from: email.headerFrom,
    to: email.to,
    cc: email.cc,
    bcc: email.bcc,
    received_for: email.receivedFor,
    message_id: email.messageId ?? "",
    subject: email.subject,
    attachments: files.map(({ filename, contentType, isInline, contentId }, position) => ({
      id: attachmentId(email.id, position),
      filename,
      content_type: contentType,
      content_disposition: contentDisposition({ isInline }),
      content_id: contentId,
    })),
    authentication: { spf: email.spf, dkim: email.dkim, dmarc: email.dmarc },
    spam: { is_spam: email.isSpam, score: email.spamScore },
    replied_email_id: email.repliedEmailId,
  };
  const isTooLarge = Buffer.byteLength(JSON.stringify(data)) > PAYLOAD_BYTES_MAX;
  await publishEvent(ctx, "email.received", isTooLarge ? cutDown(data) : data);
}

const cutDown = <Data extends Record<"to" | "cc" | "bcc" | "received_for", string[]>>(
  data: Data,
) => ({
  ...data,
  to: data.to.slice(0, ADDRESSES_MAX),
  cc: data.cc.slice(0, ADDRESSES_MAX),
  bcc: data.bcc.slice(0, ADDRESSES_MAX),
  received_for: data.received_for.slice(0, ADDRESSES_MAX),
  attachments: [],
});

/** What the checks on arrival found; null where they didn't run. */
type ArrivalChecks = {
  spf: string | null;
  dkim: string | null;
  dmarc: string | null;
  isSpam: boolean;
  spamScore: number | null;
};

/**
 * Reads the trace fields that the appliance put on top of a message.
 *
 * @param isChecked whether the message passed `addTraceFields`, which removes forged Authentication-Results. Forged
 * `X-Posthouse-` fields are removed from all messages
 */
function readChecks(message: Message, { isChecked }: { isChecked: boolean }): ArrivalChecks {
  const results = isChecked
    ? (message.value("authentication-results") ?? "").split(";").slice(1)
    : [];
  const resultsOf = (method: string) =>
    results.flatMap((part) => new RegExp(`^\\s*${method}=([a-z]+)`).exec(part)?.[1] ?? []);
  const dkim = resultsOf("dkim");
  const score = Number.parseFloat(message.value("x-posthouse-spam") ?? "");
  return {
    spf: resultsOf("spf")[0] ?? null,
    dkim: dkim.includes("pass") ? "pass" : (dkim[0] ?? null),
    dmarc: resultsOf("dmarc")[0] ?? null,
    isSpam: message.value("x-posthouse-junk") !== null,
    spamScore: Number.isFinite(score) ? score : null,
  };
}
