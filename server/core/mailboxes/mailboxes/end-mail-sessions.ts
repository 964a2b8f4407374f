import { and, eq, ne } from "drizzle-orm";

import { mailboxSessions } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { dovecotAdmin, DovecotError } from "#server/gateways/dovecot.ts";
import { enqueueAll } from "#server/jobs/enqueue.ts";

/** By then whoever was just being let in with what no longer holds is signed in, and can be ended. */
const AGAIN_AFTER_MS = 5_000;

/** A session at `/account` that goes on. */
type Except = { keptSession?: string | undefined };

/**
 * Ends a mailbox's sessions at `/account`, and promises the end of those in mail apps: a job asks for it
 * even when Dovecot cannot be asked now. Belongs into the transaction of the change that keeps them from
 * coming back; `endMailAppSessions` comes after it.
 */
export async function revokeSessions(
  db: Db,
  address: string,
  { keptSession }: Except = {},
): Promise<void> {
  await db
    .delete(mailboxSessions)
    .where(
      and(
        eq(mailboxSessions.userId, address),
        keptSession === undefined ? undefined : ne(mailboxSessions.id, keptSession),
      ),
    );
  await promiseMailAppEnd(db, address);
}

/** What `revokeSessions` promises, for a change after which `/account` stays open. Call `endMailAppSessions` after it. */
export async function promiseMailAppEnd(db: Db, ...addresses: string[]): Promise<void> {
  const runAt = new Date(Date.now() + AGAIN_AFTER_MS);
  const payloads = addresses.map((address) => ({ address }));
  await enqueueAll(db, "end_mail_sessions", payloads, { runAt });
}

/** Ends the sessions of mail apps at once. Where Dovecot cannot be asked, the job that was promised does it. */
export async function endMailAppSessions(address: string): Promise<void> {
  try {
    await dovecotAdmin().kick(address);
  } catch (error) {
    if (!(error instanceof DovecotError)) throw error;
  }
}
