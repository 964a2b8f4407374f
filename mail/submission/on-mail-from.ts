import type { SMTPServerAddress } from "smtp-server";

import { checkParameters } from "#mail/mx/check-parameters.ts";
import { SmtpReply } from "#mail/mx/smtp-reply.ts";
import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { acceptanceBlocker } from "#server/core/sending/outbox/acceptance-blocker.ts";
import { requireOwnAddress } from "#server/core/mail/submission/require-own-address.ts";
import { requireSubmitter } from "#server/core/mail/submission/find-submitter.ts";
import type { Db } from "#server/db/client.ts";

import type { SessionUser } from "./session-user.ts";

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
export async function onMailFrom(
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
