import { fieldValue, headerFields } from "#server/core/shared/mime/header-fields.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import { SubmissionError } from "#server/core/mail/submission/submission-error.ts";
import type { Db } from "#server/db/client.ts";

import { findScriptedMailbox } from "./internal/find-scripted-mailbox.ts";
import { SieveMailRejected } from "./sieve-mail-rejected.ts";
import { queueForward } from "./internal/queue-forward.ts";
import { queueVacationReply } from "./internal/queue-vacation-reply.ts";

/** A message that Dovecot hands over for a mailbox's Sieve script. */
export type SieveMail = {
  /** Reverse path, "" for none. */
  sender: string;
  recipient: string;
  /** With CRLF line ends, below the two fields in which Pigeonhole says whose script it was. */
  content: Buffer;
};

/**
 * Queues what a Sieve script sends: a message that is forwarded (`redirect`), or the answer of somebody
 * who is away (`vacation`). Committed when this resolves.
 *
 * @throws SieveMailRejected for what must not be sent
 */
export async function queueSieveMail(db: Db, mail: SieveMail): Promise<void> {
  const { forwarder } = readTrace(mail.content);
  // A vacation reply is handed over in the name of the mailbox, or of the alias that was written to.
  const mailbox = await findScriptedMailbox(db, forwarder ?? mail.sender);
  if (!mailbox || mailbox.isBlocked) throw new SieveMailRejected("This mailbox may not send");
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
 * Whose mail is forwarded; null for a vacation reply. Pigeonhole puts `X-Sieve` and, when it forwards,
 * `X-Sieve-Redirected-From` before everything that came from outside.
 */
function readTrace(content: Buffer): { forwarder: string | null } {
  const [sieve, redirected] = headerFields(content);
  if (sieve?.name !== "x-sieve") throw new Error("A message that is not Pigeonhole's");
  if (redirected?.name !== "x-sieve-redirected-from") return { forwarder: null };
  return { forwarder: fieldValue(content, redirected).toLowerCase() };
}
