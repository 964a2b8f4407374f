import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { SubmissionError } from "./submission-error.ts";

/** A mailbox that is about to send, with all that decides whether it may. */
export type Submitter = {
  address: string;
  companyId: string;
  /**
   * Another one after each change of the password and of the app passwords: who signed in before has to
   * do so again.
   */
  credentialsVersion: string;
  /** Whether its mail is held. */
  isHeld: boolean;
  /** It, or its company, is suspended; or a change of its password is due. */
  isBlocked: boolean;
  serviceEnabled: boolean;
  subscriptionActive: boolean;
  submissionAllowed: boolean;
  outsideAllowed: boolean;
};

/**
 * The mailbox that sends, as it is at this moment; null when there is none.
 *
 * @param isLocked held until the caller's transaction ends: nobody else sends as it, and its mail is
 *   neither held nor released meanwhile
 */
export async function findSubmitter(
  db: Db,
  address: string,
  { isLocked }: { isLocked: boolean },
): Promise<Submitter | null> {
  if (isLocked)
    await db.execute(sql`select from mailboxes where address = ${address} for no key update`);
  const [found] = await db.execute<Submitter>(sql`
    select m.address, m.company_id as "companyId",
      md5(m.password_hash || coalesce((
        select string_agg(a.id::text, ',' order by a.id) from app_passwords a
        where a.mailbox = m.address), '')) as "credentialsVersion",
      m.sending_held_at is not null as "isHeld",
      m.suspended_at is not null or c.suspended_at is not null or m.force_password_change
        as "isBlocked",
      c.service_enabled as "serviceEnabled", c.subscription_active as "subscriptionActive",
      p.submission_allowed as "submissionAllowed", p.outside_allowed as "outsideAllowed"
    from mailboxes m
      join companies c on c.id = m.company_id
      join mailbox_policies p on p.address = m.address
    where m.address = ${address}`);
  return found ?? null;
}

/**
 * The mailbox that somebody has signed in to, as long as it may send.
 *
 * @param credentialsVersion as it was when they signed in
 * @throws SubmissionError
 */
export async function requireSubmitter(
  db: Db,
  { address, credentialsVersion }: Pick<Submitter, "address" | "credentialsVersion">,
  options: { isLocked: boolean },
): Promise<Submitter> {
  const submitter = await findSubmitter(db, address, options);
  if (!submitter || submitter.isBlocked || submitter.credentialsVersion !== credentialsVersion)
    throw new SubmissionError("5.7.1", "This mailbox has changed: sign in again");
  if (!submitter.submissionAllowed)
    throw new SubmissionError("5.7.1", "Your company does not allow this mailbox to send mail");
  if (!submitter.serviceEnabled)
    throw new SubmissionError("5.7.1", "The email service is switched off for your company");
  if (!submitter.subscriptionActive)
    throw new SubmissionError(
      "5.7.1",
      "Your company has no active subscription: sending is paused",
    );
  return submitter;
}
