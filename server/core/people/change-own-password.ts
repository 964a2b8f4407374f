import { Refusal } from "#server/core/refusals.ts";
import { type SignedIn, startSession } from "#server/core/sessions/sessions.ts";
import type { Db } from "#server/db/client.ts";

import { requireOwnPassword } from "./require-own-password.ts";
import { givePassword, hashOf, requireGoodPassword } from "./set-password.ts";
import type { Origin } from "./sign-in.ts";

/**
 * Changes a person's own password, which counts in each of their companies. Every session ends; the one in
 * which it is done goes on under a new id, whose Set-Cookie value is returned.
 *
 * @throws Refusal `invalid` for a wrong old password, and for a new one that is weak or no other one;
 *   `rate_limit_exceeded`
 */
export async function changeOwnPassword(
  db: Db,
  { id, email }: Pick<SignedIn, "id" | "email">,
  passwords: { current: string; next: string },
  origin: Origin,
): Promise<string> {
  const { clientAddress } = origin;
  await requireOwnPassword(db, { email, password: passwords.current, clientAddress });
  await requireGoodPassword(db, email, passwords.next);
  if (passwords.next === passwords.current)
    throw new Refusal("invalid", "password: must be another one than you have now");
  const passwordHash = await hashOf(passwords.next);
  return db.transaction(async (tx) => {
    await givePassword(tx, email, { passwordHash, by: "change" });
    return startSession(tx, id, origin);
  });
}
