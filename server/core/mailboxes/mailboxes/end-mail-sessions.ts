import { and, eq, ne } from "drizzle-orm";

import { mailboxSessions } from "#drizzle/schema/index.ts";
import { endMailboxFactorSteps, endMailboxSteps } from "#server/core/access/sign-in/steps.ts";
import { kickMailApps } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import { DovecotError } from "#server/gateways/dovecot.ts";
import { enqueueAll } from "#server/jobs/enqueue.ts";

/** By then, a sign-in that was already in progress has finished and can be ended. */
const AGAIN_AFTER_MS = 5_000;

type Except = {
  /** A session at `/account` to keep. */
  keptSession?: string | undefined;
  /** Whether links to set a password keep working. */
  keepsLinks?: boolean;
};

/**
 * Ends a mailbox's sessions at `/account` and its links to set a password, and schedules a job that ends those of mail apps, in case Dovecot
 * doesn't respond now. Call in the transaction of the change that invalidates the credentials, and
 * `endMailAppSessions` after it.
 */
export async function revokeSessions(
  ctx: Context,
  address: string,
  { keptSession, keepsLinks = false }: Except = {},
): Promise<void> {
  await ctx.db
    .delete(mailboxSessions)
    .where(
      and(
        eq(mailboxSessions.userId, address),
        keptSession === undefined ? undefined : ne(mailboxSessions.id, keptSession),
      ),
    );
  await (keepsLinks ? endMailboxFactorSteps : endMailboxSteps)(ctx.db, address);
  await scheduleMailAppEnd(ctx, address);
}

/**
 * The mail-app part of `revokeSessions`, for a change that leaves `/account` sessions alone. Call
 * `endMailAppSessions` after the transaction.
 */
export async function scheduleMailAppEnd(ctx: Context, ...addresses: string[]): Promise<void> {
  const runAt = new Date(ctx.now().getTime() + AGAIN_AFTER_MS);
  const payloads = addresses.map((address) => ({ address }));
  await enqueueAll(ctx.db, "end_mail_sessions", payloads, { runAt });
}

/** Disconnects mail apps now. If Dovecot doesn't respond, the scheduled job does it. */
export async function endMailAppSessions(
  { db }: Pick<CompanyScope, "db">,
  address: string,
): Promise<void> {
  try {
    await kickMailApps(db, address);
  } catch (error) {
    if (!(error instanceof DovecotError)) throw error;
  }
}
