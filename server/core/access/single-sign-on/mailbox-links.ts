import { and, eq, isNotNull, sql } from "drizzle-orm";

import {
  identityProviders,
  mailboxes,
  mailboxIdentities,
  mailboxSessions,
  signInSteps,
} from "#drizzle/schema/index.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

type MailboxLink = { providerId: string; subject: string; mailbox: string };

/** Links a mailbox to an account at the provider; false if either is linked already. */
export async function linkMailbox(db: Db, link: MailboxLink): Promise<boolean> {
  const added = await db
    .insert(mailboxIdentities)
    .values(link)
    .onConflictDoNothing()
    .returning({ mailbox: mailboxIdentities.mailbox });
  return added.length > 0;
}

/** Finds the mailbox that is linked to an account at the provider. */
export async function findLinkedMailbox(
  db: Db,
  { providerId, subject }: Omit<MailboxLink, "mailbox">,
): Promise<{ address: string; suspendedAt: string | null } | null> {
  const [linked] = await db
    .select({ address: mailboxes.address, suspendedAt: mailboxes.suspendedAt })
    .from(mailboxIdentities)
    .innerJoin(mailboxes, eq(mailboxes.address, mailboxIdentities.mailbox))
    .where(
      and(eq(mailboxIdentities.providerId, providerId), eq(mailboxIdentities.subject, subject)),
    );
  return linked ?? null;
}

/** Locks a mailbox's link until the transaction ends, so that it isn't unlinked meanwhile; false without one. */
export async function lockMailboxLink(
  db: Db,
  { providerId, mailbox }: Omit<MailboxLink, "subject">,
): Promise<boolean> {
  const linked = await db
    .select({ mailbox: mailboxIdentities.mailbox })
    .from(mailboxIdentities)
    .where(
      and(eq(mailboxIdentities.mailbox, mailbox), eq(mailboxIdentities.providerId, providerId)),
    )
    .for("key share");
  return linked.length > 0;
}

/**
 * Unlinks a mailbox, and ends the sessions and pending sign-ins that the provider started. Call in a transaction.
 *
 * @returns the subject of the account; null if none was linked
 */
export async function deleteMailboxLink(db: Db, mailbox: string): Promise<string | null> {
  const [ended] = await db
    .delete(mailboxIdentities)
    .where(eq(mailboxIdentities.mailbox, mailbox))
    .returning({ subject: mailboxIdentities.subject });
  await db
    .delete(mailboxSessions)
    .where(and(eq(mailboxSessions.userId, mailbox), isNotNull(mailboxSessions.providerId)));
  await db
    .delete(signInSteps)
    .where(and(eq(signInSteps.mailbox, mailbox), isNotNull(signInSteps.providerId)));
  return ended?.subject ?? null;
}

const { companyId, allowsMailboxes, requiredForMailboxes } = identityProviders;

/** Whether mailbox users of the company have to sign in with its provider. If so, mailbox passwords don't work anywhere. */
export const isProviderRequired = sql<boolean>`exists (
  select from ${identityProviders} where ${companyId} = ${mailboxes.companyId} and ${requiredForMailboxes})`;

/** Whether the mailbox user has to change the password, which matters only where it works. */
export const isPasswordChangeDue = sql<boolean>`${mailboxes.forcePasswordChange} and not ${isProviderRequired}`;

/**
 * Whether the mailbox user can sign in with the provider: it is required, or the mailbox is linked. They may never have
 * used the temporary password, so a password change that is due doesn't block app passwords.
 */
export const signsInWithProvider = sql<boolean>`exists (
  select from ${identityProviders} left join ${mailboxIdentities}
    on ${mailboxIdentities.providerId} = ${identityProviders.id}
      and ${mailboxIdentities.mailbox} = ${mailboxes.address}
  where ${companyId} = ${mailboxes.companyId} and ${allowsMailboxes}
    and (${requiredForMailboxes} or ${mailboxIdentities.mailbox} is not null))`;

/** The error for a correct password where single sign-on is required. */
export const passwordNotAllowed = () =>
  new Refusal(
    "not_allowed",
    "Your company requires single sign-on. Sign in with your identity provider instead",
  );
