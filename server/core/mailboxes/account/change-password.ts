import type { Context } from "#server/core/shared/context.ts";
import { setPassword } from "#server/core/mailboxes/mailboxes/set-password.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  type AccountUser,
  endAccountSession,
  startAccountSession,
} from "#server/core/access/sessions/account-sessions.ts";
import { authenticateMailbox } from "#server/core/mailboxes/sign-in/authenticate-mailbox.ts";

import { toRefusal } from "./sign-in.ts";

/**
 * Changes a mailbox user's own password. Wrong current passwords count toward the sign-in limits. Ends all
 * sessions and starts a new one in place of the current one.
 *
 * @returns the Set-Cookie value of the new session
 * @throws Refusal `invalid` for a wrong current password or a weak new one, `rate_limit_exceeded`
 */
export async function changePassword(
  ctx: Context,
  user: AccountUser,
  passwords: { current: string; next: string },
  from: { clientAddress: string; userAgent: string | null },
): Promise<string> {
  const attempt = {
    username: user.address,
    password: passwords.current,
    service: "account",
  } as const;
  await toRefusal(
    authenticateMailbox(ctx.db, { ...attempt, clientAddress: from.clientAddress }),
  ).catch((error: unknown) => {
    if (error instanceof Refusal && error.reason === "wrong_credentials")
      throw new Refusal("invalid", "The current password is incorrect", {
        field: "current_password",
      });
    throw error;
  });
  await setPassword(ctx, user.address, passwords.next, { keptSession: user.sessionId });
  const cookie = await startAccountSession(ctx.db, user.address, from);
  await endAccountSession(ctx.db, user.sessionId);
  return cookie;
}
