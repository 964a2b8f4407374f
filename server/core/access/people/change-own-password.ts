import { eq } from "drizzle-orm";

import { people, sessions } from "#drizzle/schema/index.ts";
import { hashPassword } from "#server/core/access/admins/password.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { type SignedIn, startSession } from "#server/core/access/sessions/sessions.ts";
import type { Db } from "#server/db/client.ts";

import { requireOwnPassword } from "./require-own-password.ts";
import { requireGoodPassword, setPersonPassword } from "./internal/set-password.ts";
import type { Origin } from "./sign-in.ts";

/**
 * Changes the caller's password, which applies to all of their companies. Ends all their sessions and starts
 * a new one in place of the current one.
 *
 * @returns the Set-Cookie value of the new session
 * @throws Refusal `invalid` for a wrong current password, or a new one that is weak or unchanged;
 *   `rate_limit_exceeded`; `not_signed_in` if the session has ended meanwhile
 */
export async function changeOwnPassword(
  db: Db,
  { id, email, sessionId, providerId }: Pick<SignedIn, "id" | "email" | "sessionId" | "providerId">,
  passwords: { current: string; next: string },
  origin: Origin,
): Promise<string> {
  const { clientAddress } = origin;
  await requireOwnPassword(db, { email, password: passwords.current, clientAddress });
  await requireGoodPassword(db, email, passwords.next);
  if (passwords.next === passwords.current)
    throw new Refusal("invalid", "password: must differ from your current one");
  const passwordHash = await hashPassword(passwords.next);
  return db.transaction(async (tx) => {
    await requireSession(tx, { email, sessionId });
    await setPersonPassword(tx, email, { passwordHash, by: "change" });
    return startSession(tx, id, { ...origin, providerId });
  });
}

/** Locks the person, so that of two concurrent changes the second finds its session ended. */
async function requireSession(
  tx: Db,
  { email, sessionId }: Pick<SignedIn, "email" | "sessionId">,
): Promise<void> {
  await tx
    .select({ email: people.email })
    .from(people)
    .where(eq(people.email, email))
    .for("no key update");
  if ((await tx.$count(sessions, eq(sessions.id, sessionId))) === 0)
    throw new Refusal("not_signed_in", "You're not signed in");
}
