import { and, eq, ne } from "drizzle-orm";

import { mailboxSessions } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { dovecotAdmin, DovecotError } from "#server/gateways/dovecot.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

/** By then whoever was just being let in with what no longer holds is signed in, and can be ended. */
const AGAIN_AFTER_MS = 5_000;

/** A session at `/account` that goes on. */
type Except = { keptSession?: string | undefined };

/**
 * Ends every session of a mailbox, in mail apps and at `/account`. Call it after the change that keeps
 * them from coming back; where that is a transaction, `revokeSessions` belongs into it.
 *
 * Once it returns, sessions end even when Dovecot could not be asked now: a job asks again.
 */
export async function endMailSessions(db: Db, address: string, except: Except = {}): Promise<void> {
  await revokeSessions(db, address, except);
  await endMailAppSessions(address);
}

/** The part of `endMailSessions` that is the database's, with the promise that the rest is done. */
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
export async function promiseMailAppEnd(db: Db, address: string): Promise<void> {
  const runAt = new Date(Date.now() + AGAIN_AFTER_MS);
  await enqueue(db, "end_mail_sessions", { address }, { runAt });
}

/** Ends the sessions of mail apps at once. Where Dovecot cannot be asked, the job that was promised does it. */
export async function endMailAppSessions(address: string): Promise<void> {
  try {
    await dovecotAdmin().kick(address);
  } catch (error) {
    if (!(error instanceof DovecotError)) throw error;
  }
}
