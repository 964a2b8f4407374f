import { endMailAppSessionsFrom } from "#server/core/mailboxes/account/mail-app-sessions.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";
import { endListedSession } from "#server/core/access/sessions/account-sessions.ts";

import { endMailAppSessions, revokeSessions } from "./end-mail-sessions.ts";
import { requireMailbox } from "./require-mailbox.ts";
import { requireRightIn } from "./require-right.ts";

/**
 * Which sessions of a mailbox: one at `/account` by the name that a list gives it, those of mail apps at one
 * place, or all of both.
 */
export type EndedSessions = { browser: string } | { mailAppsFrom: string } | "all";

/**
 * Ends sessions of a mailbox on an admin's behalf. Who still knows a password signs in again. Those of mail
 * apps end by a job where Dovecot cannot be asked now and all are meant.
 *
 * @throws Refusal `not_found` for the mailbox or a session that is over; `invalid_permission` when `rights`
 *   do not reach its unit; `mail_server_error` for mail apps at one place
 */
export async function endSessions(
  ctx: Context,
  rights: HeldPrivileges,
  named: string,
  which: EndedSessions,
): Promise<void> {
  const { address, orgUnitId } = await requireMailbox(ctx, named);
  requireRightIn(rights, "reset_user_passwords", orgUnitId);
  if (which === "all") await endAll(ctx, address);
  else if ("browser" in which) await endBrowser(ctx, address, which.browser);
  else await endMailAppSessionsFrom(ctx, address, which.mailAppsFrom);
}

async function endAll(ctx: Context, mailbox: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await revokeSessions(ctx.db, mailbox);
    await recordAudit(ctx, "mailbox.sessions_ended", { mailbox });
  });
  await endMailAppSessions(mailbox);
}

async function endBrowser(ctx: Context, mailbox: string, name: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const isEnded = await endListedSession(ctx.db, { address: mailbox }, name);
    if (!isEnded) throw new Refusal("not_found", "This session has ended already");
    await recordAudit(ctx, "mailbox.sessions_ended", { mailbox, in: "browser" });
  });
}
