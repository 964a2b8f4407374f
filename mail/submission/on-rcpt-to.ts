import type { SMTPServerAddress } from "smtp-server";

import { checkParameters } from "#mail/mx/check-parameters.ts";
import { SmtpReply } from "#mail/mx/smtp-reply.ts";
import { parseRecipient } from "#server/core/shared/addresses/parse-address.ts";
import { requireSubmitter } from "#server/core/mail/submission/find-submitter.ts";
import { requireRecipient } from "#server/core/mail/submission/require-recipient.ts";
import type { Db } from "#server/db/client.ts";

import type { SessionUser } from "./session-user.ts";

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
export async function onRcptTo(
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
