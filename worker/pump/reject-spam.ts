import { findOutgoingSpam } from "#server/core/mail/spam/find-outgoing-spam.ts";
import type { LeasedEmail } from "#server/core/sending/outbox/lease-due-emails.ts";
import type { Db } from "#server/db/client.ts";

import { permanentFailure, type Prepared, temporaryFailure } from "./prepared.ts";

/**
 * Scans a prepared email before each attempt, if its company scans outgoing mail: earlier ones may have ended before the
 * scan. Spam fails, and is listed with the reason.
 */
export async function rejectSpam(
  prepared: Prepared,
  { companyId, body, recipients }: LeasedEmail,
  db: Db,
): Promise<Prepared> {
  const { message } = prepared;
  if (message === null) return prepared;
  try {
    const spam = await findOutgoingSpam(db, {
      ...{ companyId, content: message, clientAddress: null },
      author: body?.addressHeaders.from.address ?? "",
      recipients: recipients.map(({ recipient }) => recipient),
    });
    return spam ? permanentFailure(spam.reason) : prepared;
  } catch (error) {
    return temporaryFailure("The message can't be checked for spam", error);
  }
}
