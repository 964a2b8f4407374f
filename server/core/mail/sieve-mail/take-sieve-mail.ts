import { fieldValue, headerFields } from "#server/core/shared/mime/header-fields.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import { NotSubmitted } from "#server/core/mail/submission/not-submitted.ts";
import type { Db } from "#server/db/client.ts";

import { findScriptedMailbox } from "./internal/find-scripted-mailbox.ts";
import { SieveMailRefused } from "./refused.ts";
import { takeForward } from "./internal/take-forward.ts";
import { takeVacation } from "./internal/take-vacation.ts";

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
 * @throws SieveMailRefused for what must not be sent
 */
export async function takeSieveMail(db: Db, mail: SieveMail): Promise<void> {
  const { forwarder } = readTrace(mail.content);
  // A vacation reply is handed over in the name of the mailbox, or of the alias that was written to.
  const mailbox = await findScriptedMailbox(db, forwarder ?? mail.sender);
  if (!mailbox || mailbox.isBarred) throw new SieveMailRefused("This mailbox may not send");
  try {
    if (forwarder === null) await takeVacation(db, mailbox, mail);
    else await takeForward(db, mailbox, mail);
  } catch (error) {
    if (error instanceof NotSubmitted) throw new SieveMailRefused(error.message);
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
