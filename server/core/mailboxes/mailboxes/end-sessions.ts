import { endMailAppSessionsFrom } from "#server/core/mailboxes/account/mail-app-sessions.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";
import { endListedSession } from "#server/core/access/sessions/account-sessions.ts";

import { endMailAppSessions, revokeSessions } from "./end-mail-sessions.ts";
import { requireMailbox } from "./require-mailbox.ts";
import { requirePrivilegeIn } from "./require-privilege-in.ts";

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
