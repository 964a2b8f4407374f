import { fieldValue } from "#server/core/shared/mime/header-fields.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import { SubmissionError } from "#server/core/mail/submission/submission-error.ts";
import type { Db } from "#server/db/client.ts";

import { findScriptedMailbox } from "./internal/find-scripted-mailbox.ts";
import { SieveMailRejected } from "./sieve-mail-rejected.ts";
import { queueForward } from "./internal/queue-forward.ts";
import { queueVacationReply } from "./internal/queue-vacation-reply.ts";

/** A message that a mailbox's Sieve script sends through Dovecot. */
export type SieveMail = {
  /** Return path; "" for the null sender. */
  sender: string;
  recipient: string;
  /** With CRLF line endings, and on top the two fields in which Pigeonhole names the script's owner. */
  message: Message;
};

/**
 * Queues a Sieve script's message: a forward (`redirect`) or a vacation reply. Committed when this resolves.
 *
 * @throws SieveMailRejected
 */
export async function queueSieveMail(db: Db, mail: SieveMail): Promise<void> {
  const { forwarder } = readTrace(mail.message);
  // A vacation reply's sender is the mailbox, or the alias that got the message.
  const mailbox = await findScriptedMailbox(db, forwarder ?? mail.sender);
  if (!mailbox || mailbox.isBlocked) throw new SieveMailRejected("This mailbox can't send mail");
  try {
    if (forwarder === null) await queueVacationReply(db, mailbox, mail);
    else await queueForward(db, mailbox, mail);
  } catch (error) {
    if (error instanceof SubmissionError) throw new SieveMailRejected(error.message);
    throw error;
  }
  wakeMessages(db);
}

/**
 * The mailbox that forwards; null for a vacation reply. Pigeonhole puts `X-Sieve` and, for a forward,
 * `X-Sieve-Redirected-From` above the fields from outside.
 */
function readTrace({ raw, fields }: Message): { forwarder: string | null } {
  const [sieve, redirected] = fields;
  if (sieve?.name !== "x-sieve") throw new Error("Pigeonhole's X-Sieve field is missing");
  if (redirected?.name !== "x-sieve-redirected-from") return { forwarder: null };
  return { forwarder: fieldValue(raw, redirected).toLowerCase() };
}
