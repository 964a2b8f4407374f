import { authenticateMailbox } from "#server/core/mailboxes/sign-in/authenticate-mailbox.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { toRefusal } from "./to-refusal.ts";

/**
 * Asks a signed-in mailbox user for the password before a sensitive change. Wrong ones count toward the sign-in limits.
 *
 * @throws Refusal `invalid` for a wrong password, `rate_limit_exceeded`
 */
export async function requireOwnMailboxPassword(
  db: Db,
  { address, ...shown }: { address: string; password: string; clientAddress: string },
): Promise<void> {
  const attempt = { username: address, ...shown, service: "account" } as const;
  await toRefusal(authenticateMailbox(db, attempt)).catch((error: unknown) => {
    if (error instanceof Refusal && error.reason === "wrong_credentials")
      throw new Refusal("invalid", "The current password is incorrect", {
        field: "current_password",
      });
    throw error;
  });
}
