import { and, eq, isNotNull } from "drizzle-orm";

import {
  mailboxes,
  mailboxIdentities,
  mailboxSessions,
  signInSteps,
} from "#drizzle/schema/index.ts";
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
