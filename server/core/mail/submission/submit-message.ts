import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import type { DsnRequest } from "#mail/smtp/envelope.ts";
import { guardSending } from "#server/core/mail/guard/guard.ts";
import { findOutgoingSpam, type OutgoingSpam } from "#server/core/mail/spam/outgoing-spam.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import {
  acceptMessage,
  type NewMessageRecipient,
  wakeMessages,
} from "#server/core/sending/messages/messages.ts";
import { acceptanceBlocker } from "#server/core/sending/outbox/queue-depth.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";

import { completeContent } from "./complete-content.ts";
import {
  requireAllowedRecipients,
  requireOwnAddress,
  requireSubmitter,
  SubmissionError,
  type Submitter,
} from "./submitter.ts";
import { readHeaderFields, readSubmittedAuthor } from "./submitted-header.ts";

export type SubmittedMessage = Pick<DsnRequest, "envelopeId" | "returnFull"> & {
  /** As of the sign-in. */
  submitter: Pick<Submitter, "address" | "credentialsVersion"> & { companyId: string | null };
  /** Return path, with the local part as written; "" for the null sender, which mail apps use for read receipts (RFC 8098). */
  sender: string;
  /** As returned by `requireRecipient`. */
  recipients: NewMessageRecipient[];
  /** With CRLF line endings. */
  content: Buffer;
  clientAddress: string;
};

/**
 * Accepts a message from a mailbox user's mail app. Committed when this resolves, counted in the mailbox's hourly
 * limit. If the mailbox looks compromised, the message goes on hold for outside recipients. If the company scans
 * outgoing mail, spam is rejected or goes on hold for all recipients.
 *
 * @throws SubmissionError
 */
export async function submitMessage(
  db: Db,
  message: SubmittedMessage,
  { hostname, now }: { hostname: string; now: Date },
): Promise<{ id: string; isHeld: boolean }> {
  const problem = await acceptanceBlocker(db);
  if (problem) throw new SubmissionError("4.3.1", problem);
  const { hourly_recipients_mailbox: limit } = await currentSettings(db);
  const { sender, clientAddress, envelopeId, returnFull } = message;
  const parts = readHeaderFields(message.content);
  const author = readSubmittedAuthor(parts.fields);
  const id = uuidv7();
  const completed = completeContent(
    { ...parts, fields: author.fields },
    { id, from: author.from.address, hostname, now },
  );
  const { headerFrom, subject } = new Message(completed.content).header;
  const spam = await findSpam(db, message, completed.content);
  if (spam?.action === "reject") throw new SubmissionError("5.7.1", spam.reason);
  const recipients = [...new Map(message.recipients.map((one) => [one.address, one])).values()];

  const isHeld = await db.transaction(async (tx) => {
    const submitter = await requireSubmitter(tx, message.submitter, { isLocked: true });
    const { domainId } = await requireOwnAddress(tx, submitter, author.from.address, "From");
    if (author.sender) await requireOwnAddress(tx, submitter, author.sender.address, "Sender");
    const groupAddress =
      sender === ""
        ? null
        : (await requireOwnAddress(tx, submitter, sender.toLowerCase(), "MAIL FROM")).group;
    const addresses = recipients.map(({ address }) => address);
    const outside = await requireAllowedRecipients(tx, submitter, addresses);
    const { address: mailbox, companyId } = submitter;
    await requireUnderHourlyLimit(tx, { mailbox, recipients: recipients.length, limit });
    const held = await guardSending(tx, {
      mailbox,
      companyId,
      isHeld: submitter.isHeld,
      clientAddress,
      outside,
      isSpam: spam !== null,
    });
    const kept = new Set(spam ? addresses : held ? outside : []);
    await acceptMessage(tx, {
      id,
      companyId,
      origin: "submission",
      mailbox,
      groupAddress,
      sender,
      isSenderTold: sender !== "",
      signingDomainId: domainId,
      content: completed.content,
      messageId: completed.messageId,
      headerFrom,
      subject,
      clientAddress,
      envelopeId,
      returnFull,
      recipients: recipients.map((one) => ({ ...one, isHeld: kept.has(one.address) })),
    });
    return held;
  });
  wakeMessages(db);
  return { id, isHeld };
}

function findSpam(
  db: Db,
  { submitter: { address, companyId }, recipients, clientAddress }: SubmittedMessage,
  content: Buffer,
): Promise<OutgoingSpam | null> {
  // The mailbox was deleted, which is reported below.
  if (companyId === null) return Promise.resolve(null);
  const to = recipients.map((one) => one.address);
  return findOutgoingSpam(db, {
    companyId,
    content,
    author: address,
    recipients: to,
    clientAddress,
  });
}

/**
 * Requires that a mailbox stays within its limit of recipients per 60 minutes. The caller has locked the mailbox, so
 * concurrent messages are counted.
 *
 * @throws SubmissionError with the time to retry at
 */
async function requireUnderHourlyLimit(
  db: Db,
  { mailbox, recipients, limit }: { mailbox: string; recipients: number; limit: number },
): Promise<void> {
  if (recipients > limit)
    throw new SubmissionError(
      "5.5.3",
      `This message has ${recipients} recipients, over this mailbox's limit of ${limit} per hour`,
    );
  // Sums from the newest message on: the one that exceeds the limit must become an hour old first.
  const [full] = await db.execute<{ at: string; minutes: number }>(sql`
    select to_char(created_at + interval '1 hour' + interval '1 minute', 'HH24:MI') as at,
      ceil(extract(epoch from created_at + interval '1 hour' - clock_timestamp()) / 60)::int as minutes
    from (
      select created_at, sum(recipient_count) over (order by created_at desc, id desc) as sent
      from messages
      where mailbox = ${mailbox} and origin = 'submission'
        and created_at > clock_timestamp() - interval '1 hour'
    ) recent
    where sent + ${recipients} > ${limit}
    order by created_at desc limit 1`);
  if (!full) return;
  const { at, minutes } = full;
  throw new SubmissionError(
    "4.7.1",
    `Limit of ${pluralize(limit, "recipient")} per hour reached. Try again in ${pluralize(minutes, "minute")}, at ${at} UTC`,
  );
}
