import type { SMTPServerAddress, SMTPServerEnvelope } from "smtp-server";

import { checkParameters, SmtpReply } from "#mail/mx/smtp-reply.ts";
import {
  parseAddress,
  type ParsedAddress,
  parseRecipient,
} from "#server/core/shared/addresses/parse-address.ts";
import { acceptanceBlocker } from "#server/core/sending/outbox/queue-depth.ts";
import {
  requireOwnAddress,
  requireRecipient,
  requireSubmitter,
} from "#server/core/mail/submission/submitter.ts";
import type { Db } from "#server/db/client.ts";
import { requireSafeContent } from "#mail/mx/check-content.ts";
import { MESSAGE_BYTES_MAX } from "#mail/mx/limits.ts";
import { submitMessage } from "#server/core/mail/submission/submit-message.ts";
import { Message } from "#server/core/shared/mime/message.ts";

import type { SessionUser } from "./sign-in.ts";
import { sendAsEmail } from "./key-mail.ts";

/** MAIL FROM parameters announced in EHLO (RFC 1870, 6152, 6531, 3461, 4954). */
const MAIL_PARAMETERS = ["SIZE", "BODY", "SMTPUTF8", "RET", "ENVID", "AUTH"];
/** RFC 3461, 4.4, in xtext encoding. */
const ENVID_LENGTH_MAX = 100;

/**
 * Checks MAIL FROM of a signed-in user. The null sender is allowed: mail apps send read receipts with it
 * (RFC 8098), and From is checked in any case. Mail sent with an API key gets its own envelope sender.
 *
 * @throws SmtpReply, SubmissionError
 */
export async function checkMailFrom(
  db: Db,
  sender: SMTPServerAddress,
  user: SessionUser,
): Promise<void> {
  checkParameters(sender, MAIL_PARAMETERS);
  const { ENVID: envelopeId } = sender.args || {};
  if (typeof envelopeId === "string" && envelopeId.length > ENVID_LENGTH_MAX)
    throw new SmtpReply(501, "5.5.4", `ENVID must be at most ${ENVID_LENGTH_MAX} characters`);
  const problem = await acceptanceBlocker(db);
  if (problem) throw new SmtpReply(452, "4.3.1", problem);
  const address = sender.address === "" ? "" : parseAddress(sender.address)?.address;
  if (address === undefined) throw new SmtpReply(550, "5.1.7", "Invalid email address");
  if (user.kind === "key") return;
  const submitter = await requireSubmitter(db, user, { isLocked: false });
  if (address !== "") await requireOwnAddress(db, submitter, address, "MAIL FROM");
}

/** RCPT TO parameters announced in EHLO (RFC 3461). */
const RCPT_PARAMETERS = ["NOTIFY", "ORCPT"];
/** RFC 3461, 4.2. */
const ORCPT_LENGTH_MAX = 500;
/** The API limit per email. The listener has its own limit for mailbox users. */
const KEY_RECIPIENTS_MAX = 50;

/**
 * Checks RCPT TO of a signed-in user. Recipients that could only bounce are rejected here, while the user is
 * still waiting.
 *
 * @param recipientCount recipients accepted so far
 * @throws SmtpReply, SubmissionError
 */
export async function checkRecipient(
  db: Db,
  recipient: SMTPServerAddress,
  { user, taken: recipientCount }: { user: SessionUser; taken: number },
): Promise<void> {
  checkParameters(recipient, RCPT_PARAMETERS);
  if ((recipient.dsn?.orcpt ?? "").length > ORCPT_LENGTH_MAX)
    throw new SmtpReply(501, "5.5.4", `ORCPT must be at most ${ORCPT_LENGTH_MAX} characters`);
  if (user.kind === "mailbox") {
    const submitter = await requireSubmitter(db, user, { isLocked: false });
    await requireRecipient(db, submitter, recipient.address);
    return;
  }
  if (!parseRecipient(recipient.address))
    throw new SmtpReply(550, "5.1.3", "Invalid email address");
  if (recipientCount >= KEY_RECIPIENTS_MAX)
    throw new SmtpReply(452, "4.5.3", `An email can have at most ${KEY_RECIPIENTS_MAX} recipients`);
}

type Submission = { envelope: SMTPServerEnvelope; user: SessionUser; clientAddress: string };

/**
 * Accepts a submitted message. It is committed when this resolves.
 *
 * @returns the id for the reply, with its kind
 * @throws SmtpReply, SubmissionError, Refusal
 */
export async function acceptSubmission(
  received: Message,
  { envelope, user, clientAddress }: Submission,
  { db, hostname }: { db: Db; hostname: string },
): Promise<string> {
  const content = withCrlf(received.raw, MESSAGE_BYTES_MAX);
  if (content === null) throw new SmtpReply(552, "5.3.4", "The message is too large");
  requireSafeContent(content === received.raw ? received : new Message(content), {
    isCompleted: true,
  });
  if (user.kind === "key") {
    const recipients = envelope.rcptTo.map(({ address }) => readAddress(address));
    const { id } = await sendAsEmail(
      db,
      content,
      { user, recipients, clientAddress },
      { hostname, now: new Date() },
    );
    return `email ${id}`;
  }
  const { id } = await submitMessage(
    db,
    {
      submitter: user,
      sender:
        envelope.mailFrom && envelope.mailFrom.address ? readSender(envelope.mailFrom.address) : "",
      recipients: envelope.rcptTo.map(({ address, dsn }) => ({
        ...readAddress(address),
        notify: dsn?.notify?.map((when) => when.toLowerCase()) ?? null,
        originalRecipient: dsn?.orcpt ?? null,
      })),
      envelopeId: envelope.dsn?.envid ?? null,
      returnFull: envelope.dsn?.ret !== "HDRS",
      content,
      clientAddress,
    },
    { hostname, now: new Date() },
  );
  return `message ${id}`;
}

function readAddress(text: string): Pick<ParsedAddress, "address" | "written"> {
  const parsed = parseRecipient(text);
  if (!parsed) throw new Error("An address of the envelope cannot be parsed");
  const { address, written } = parsed;
  return { address, ...(written !== undefined && { written }) };
}

/** With the local part as written: only its own server knows whether case matters (RFC 5321, 2.4). */
function readSender(text: string): string {
  const { address, written = address } = readAddress(text);
  return written;
}

const [LF, CR] = [0x0a, 0x0d];

/**
 * Turns bare LFs into CRLF, which old scanners and scripts send. Only for complete messages of signed-in clients: from
 * other servers, a bare LF may be an attempt at SMTP smuggling.
 *
 * @returns null if the result would be larger than `bytesMax`
 */
export function withCrlf(message: Buffer, bytesMax: number): Buffer | null {
  let count = 0;
  for (let at = 0; at < message.length; at++) if (isBareLf(message, at)) count++;
  if (count === 0) return message;
  if (message.length + count > bytesMax) return null;
  const result = Buffer.allocUnsafe(message.length + count);
  let written = 0;
  for (let at = 0; at < message.length; at++) {
    if (isBareLf(message, at)) result[written++] = CR;
    result[written++] = message[at]!;
  }
  return result;
}

const isBareLf = (message: Buffer, at: number) =>
  message[at] === LF && (at === 0 || message[at - 1] !== CR);
