import type { Context } from "#server/core/shared/context.ts";
import { setPassword } from "#server/core/mailboxes/mailboxes/set-password.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  type AccountUser,
  endAccountSession,
  startAccountSession,
} from "#server/core/access/sessions/account-sessions.ts";
import { authenticateMailbox } from "#server/core/mailboxes/sign-in/authenticate-mailbox.ts";

import { asRefusal } from "./sign-in.ts";

/**
 * Changes a person's own password. The old one is asked for, and guesses at it count as those at the door
 * do. All other sessions end; this one goes on under a new id, whose Set-Cookie value is returned.
 *
 * @throws Refusal `invalid` for a wrong old password and for a new one that is too weak,
 *   `rate_limit_exceeded`
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
  await asRefusal(
    authenticateMailbox(ctx.db, { ...attempt, clientAddress: from.clientAddress }),
  ).catch((error: unknown) => {
    if (error instanceof Refusal && error.reason === "wrong_credentials")
      throw new Refusal("invalid", "The current password is wrong");
    throw error;
  });
  await setPassword(ctx, user.address, passwords.next, { keptSession: user.sessionId });
  const cookie = await startAccountSession(ctx.db, user.address, from);
  await endAccountSession(ctx.db, user.sessionId);
  return cookie;
}
