import { and, eq, ne } from "drizzle-orm";

import { mailboxSessions } from "#drizzle/schema/index.ts";
import { scheduleMailAppEnd } from "#server/core/access/sessions/schedule-mail-app-end.ts";
import { endMailboxFactorSteps, endMailboxSteps } from "#server/core/access/sign-in/steps.ts";
import { kickMailApps } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import { DovecotError } from "#server/gateways/dovecot.ts";

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
