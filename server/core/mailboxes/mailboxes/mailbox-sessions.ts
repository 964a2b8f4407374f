import { and, eq, ne } from "drizzle-orm";

import { mailboxSessions } from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import {
  endListedSession,
  scheduleMailAppEnd,
} from "#server/core/access/sessions/account-sessions.ts";
import { endMailboxFactorSteps, endMailboxSteps } from "#server/core/access/sign-in/steps.ts";
import { endMailAppSessionsFrom } from "#server/core/mailboxes/account/mail-app-sessions.ts";
import { kickMailApps } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type CompanyScope, type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { DovecotError } from "#server/gateways/dovecot.ts";

import { requireMailbox, requirePrivilegeIn } from "./require-mailbox.ts";

/**
 * Which sessions to end: one at `/account` by its listed id, those of mail apps at one IP address, or all.
 */
export type EndedSessions = { browser: string } | { mailAppsFrom: string } | "all";

/**
 * Ends sessions of a mailbox on an admin's behalf. A user with a valid password can sign in again. With
 * "all", a job disconnects mail apps if Dovecot doesn't respond now.
 *
 * @throws Refusal `not_found` for the mailbox or a session that has already ended; `invalid_permission` if
 *   `callerPrivileges` don't include its unit; `mail_server_error` for mail apps at one address
 */
export async function endSessions(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  named: string,
  which: EndedSessions,
): Promise<void> {
  const { address, orgUnitId } = await requireMailbox(ctx, named);
  requirePrivilegeIn(callerPrivileges, "reset_user_passwords", orgUnitId);
  if (which === "all") await endAll(ctx, address);
  else if ("browser" in which) await endBrowser(ctx, address, which.browser);
  else await endMailAppSessionsFrom(ctx, address, which.mailAppsFrom);
}

async function endAll(ctx: Context, mailbox: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await revokeSessions(ctx, mailbox);
    await recordAudit(ctx, "mailbox.sessions_ended", { mailbox });
  });
  await endMailAppSessions(ctx, mailbox);
}

async function endBrowser(ctx: Context, mailbox: string, name: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const isEnded = await endListedSession(ctx, { address: mailbox }, name);
    if (!isEnded) throw new Refusal("not_found", "This session has already ended");
    await recordAudit(ctx, "mailbox.sessions_ended", { mailbox, in: "browser" });
  });
}

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
