import type { Context } from "#server/core/shared/context.ts";
import { setPassword } from "#server/core/mailboxes/mailboxes/set-password.ts";
import {
  type AccountUser,
  endAccountSession,
  startAccountSession,
} from "#server/core/access/sessions/account-sessions.ts";

import { requireOwnMailboxPassword } from "./require-own-password.ts";

/**
 * Changes a mailbox user's own password. Wrong current passwords count toward the sign-in limits. Ends all
 * sessions and starts a new one in place of the current one.
 *
 * @param passwords.current can be left out after `confirmSession`
 * @returns the Set-Cookie value of the new session
 * @throws Refusal `invalid` for a wrong current password or a weak new one, `rate_limit_exceeded`
 */
export async function changePassword(
  ctx: Context,
  user: AccountUser,
  passwords: { current: string | undefined; next: string },
  from: { clientAddress: string; userAgent: string | null },
): Promise<string> {
  const shown = { password: passwords.current, clientAddress: from.clientAddress };
  await requireOwnMailboxPassword(ctx.db, user, shown);
  await setPassword(ctx, user.address, passwords.next, { keptSession: user.sessionId });
  const { providerId } = user;
  const cookie = await startAccountSession(ctx.db, user.address, { ...from, providerId });
  await endAccountSession(ctx.db, user.sessionId);
  return cookie;
}
