import { sql } from "drizzle-orm";

import {
  isProviderRequired,
  signsInWithProvider,
} from "#server/core/access/single-sign-on/mailbox-links.ts";
import type { Db } from "#server/db/client.ts";

import { SubmissionError } from "./submission-error.ts";

/** A mailbox that submits mail, with what decides whether it can. */
export type Submitter = {
  address: string;
  companyId: string;
  /** Changes with the password, the app passwords and whether the password is accepted, which ends existing SMTP sessions. */
  credentialsVersion: string;
  /** Whether its sending is on hold. */
  isHeld: boolean;
  /** The mailbox or its company is suspended, or it must change its password, even for app passwords. */
  isBlocked: boolean;
  serviceEnabled: boolean;
  subscriptionActive: boolean;
  submissionAllowed: boolean;
  outsideAllowed: boolean;
};

/**
 * The current state of a mailbox that submits mail; null if it doesn't exist.
 *
 * @param isLocked locks the mailbox until the caller's transaction ends, so that it sends one message at a time and
 *   its sending isn't put on hold or released in the meantime
 */
export async function findSubmitter(
  db: Db,
  address: string,
  { isLocked }: { isLocked: boolean },
): Promise<Submitter | null> {
  if (isLocked)
    await db.execute(sql`select from mailboxes where address = ${address} for no key update`);
  const [found] = await db.execute<Submitter>(sql`
    select mailboxes.address, mailboxes.company_id as "companyId",
      md5(password_hash || force_password_change || ${isProviderRequired}
        || coalesce((
          select string_agg(a.id::text, ',' order by a.id) from app_passwords a
          where a.mailbox = mailboxes.address), '')) as "credentialsVersion",
      sending_held_at is not null as "isHeld",
      mailboxes.suspended_at is not null or c.suspended_at is not null
        or force_password_change and not ${signsInWithProvider} as "isBlocked",
      c.service_enabled as "serviceEnabled", c.subscription_active as "subscriptionActive",
      p.submission_allowed as "submissionAllowed", p.outside_allowed as "outsideAllowed"
    from mailboxes
      join companies c on c.id = mailboxes.company_id
      join mailbox_policies p on p.address = mailboxes.address
    where mailboxes.address = ${address}`);
  return found ?? null;
}

/**
 * Requires that a signed-in mailbox can still send.
 *
 * @param credentialsVersion as of the sign-in
 * @throws SubmissionError
 */
export async function requireSubmitter(
  db: Db,
  { address, credentialsVersion }: Pick<Submitter, "address" | "credentialsVersion">,
  options: { isLocked: boolean },
): Promise<Submitter> {
  const submitter = await findSubmitter(db, address, options);
  if (!submitter || submitter.isBlocked || submitter.credentialsVersion !== credentialsVersion)
    throw new SubmissionError("5.7.1", "The mailbox or its password has changed. Sign in again");
  if (!submitter.submissionAllowed)
    throw new SubmissionError("5.7.1", "Your company does not allow this mailbox to send mail");
  if (!submitter.serviceEnabled)
    throw new SubmissionError("5.7.1", "The email service is turned off for your company");
  if (!submitter.subscriptionActive)
    throw new SubmissionError(
      "5.7.1",
      "Your company has no active subscription, so sending is paused",
    );
  return submitter;
}
