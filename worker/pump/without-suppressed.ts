import type { LeasedEmail } from "#server/core/sending/outbox/lease-due-emails.ts";
import {
  recordOutcomes,
  type RecipientOutcome,
} from "#server/core/sending/outbox/record-outcomes.ts";
import { findSuppressed } from "#server/core/sending/suppressions/find-suppressed.ts";
import type { Db } from "#server/db/client.ts";

/** Younger emails aren't checked again, to keep the first attempt cheap. */
const FRESH_MS = 60_000;

/**
 * Records recipients who were suppressed after acceptance, such as by unsubscribing, as suppressed, and returns the emails
 * without them. Checks only emails that were tried before, or waited for more than a minute, on hold or in a long queue.
 */
export async function withoutSuppressed(
  db: Db,
  owner: string,
  leased: LeasedEmail[],
): Promise<LeasedEmail[]> {
  const waited = leased.filter(hasWaited);
  const asked = waited.flatMap(({ companyId, recipients }) =>
    recipients.map(({ recipient }) => ({ companyId, email: recipient.toLowerCase() })),
  );
  const found = await findSuppressed(db, asked);
  if (found.length === 0) return leased;
  const reasons = new Map(
    found.map(({ companyId, email, reason }) => [`${companyId} ${email}`, reason]),
  );
  const ended: RecipientOutcome[] = [];
  for (const { id: emailId, companyId, recipients } of waited)
    for (const { rowId, recipient, attempt } of recipients) {
      const reason = reasons.get(`${companyId} ${recipient.toLowerCase()}`);
      if (reason === undefined) continue;
      ended.push({ rowId, emailId, recipient, attempt, type: "suppressed", reason });
    }
  await recordOutcomes(db, owner, ended);
  const endedIds = new Set(ended.map(({ rowId }) => rowId));
  return leased.flatMap((email) => {
    const recipients = email.recipients.filter(({ rowId }) => !endedIds.has(rowId));
    return recipients.length > 0 ? [{ ...email, recipients }] : [];
  });
}

const hasWaited = ({ isTest, sentAt, recipients }: LeasedEmail): boolean =>
  !isTest &&
  (recipients.some(({ attempt }) => attempt > 0) ||
    (sentAt !== null && Date.now() - Date.parse(sentAt) > FRESH_MS));
