import type { SMTPServerEnvelope } from "smtp-server";

import { checkContent } from "#mail/mx/check-content.ts";
import { MESSAGE_BYTES_MAX } from "#mail/mx/limits.ts";
import { SmtpReply } from "#mail/mx/smtp-reply.ts";
import { parseRecipient, type ParsedAddress } from "#server/core/shared/addresses/parse-address.ts";
import { submitMessage } from "#server/core/mail/submission/submit-message.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import type { Db } from "#server/db/client.ts";

import { sendAsEmail } from "./key-mail/send-as-email.ts";
import type { SessionUser } from "./session-user.ts";
import { withCrlf } from "./with-crlf.ts";

type Submission = { envelope: SMTPServerEnvelope; user: SessionUser; clientAddress: string };

/**
 * Accepts a submitted message. It is committed when this resolves.
 *
 * @returns the id for the reply, with its kind
 * @throws SmtpReply, SubmissionError, Refusal
 */
export async function onData(
  received: Message,
  { envelope, user, clientAddress }: Submission,
  { db, hostname }: { db: Db; hostname: string },
): Promise<string> {
  const content = withCrlf(received.raw, MESSAGE_BYTES_MAX);
  if (content === null) throw new SmtpReply(552, "5.3.4", "The message is too large");
  checkContent(content === received.raw ? received : new Message(content));
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
