import { judgeRecipient, type JudgedRecipient } from "#server/core/incoming/judge-recipient.ts";
import type { Db } from "#server/db/client.ts";

import { SmtpReply } from "./smtp-reply.ts";

type Refused = Exclude<JudgedRecipient["is"], "own">;

const REFUSALS: Record<Refused, () => SmtpReply> = {
  mailbox: () => new SmtpReply(451, "4.3.2", "Receiving mail for mailboxes is not switched on yet"),
  unknown: () => new SmtpReply(550, "5.1.1", "No such recipient here"),
  foreign: () => new SmtpReply(550, "5.7.1", "This server takes mail for its own domains only"),
};

/**
 * RCPT TO from another mail server (RFC 5321, 3.3). What is not taken is refused here, before DATA:
 * that is what keeps us from sending bounces to forged senders.
 *
 * @throws SmtpReply
 */
export async function onRcptTo(db: Db, address: string, hostname: string): Promise<void> {
  const recipient = await judgeRecipient(db, address, hostname);
  if (recipient.is !== "own") throw REFUSALS[recipient.is]();
}
