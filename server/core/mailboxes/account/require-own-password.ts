import type { AccountUser } from "#server/core/access/sessions/account-sessions.ts";
import { authenticateMailbox } from "#server/core/mailboxes/sign-in/authenticate-mailbox.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { isConfirmed } from "./confirm-session.ts";
import { toRefusal } from "./to-refusal.ts";

/**
 * Asks a signed-in mailbox user for the password before a sensitive change. Wrong ones count toward the sign-in limits.
 *
 * @param shown.password can be left out after `confirmSession`
 * @throws Refusal `invalid` for a wrong or missing password, `rate_limit_exceeded`
 */
export async function requireOwnMailboxPassword(
  db: Db,
  user: AccountUser,
  { password, clientAddress }: { password: string | undefined; clientAddress: string },
): Promise<void> {
  if (password === undefined) {
    if (await isConfirmed(db, user)) return;
    throw incorrect("Enter your password, or verify your identity with single sign-on");
  }
  const attempt = { username: user.address, password, clientAddress, service: "account" } as const;
  await toRefusal(authenticateMailbox(db, attempt)).catch((error: unknown) => {
    if (error instanceof Refusal && error.reason === "wrong_credentials")
      throw incorrect("The current password is incorrect");
    throw error;
  });
}

const incorrect = (message: string) =>
  new Refusal("invalid", message, { field: "current_password" });
