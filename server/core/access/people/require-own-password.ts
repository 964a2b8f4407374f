import { eq } from "drizzle-orm";

import { people } from "#drizzle/schema/index.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { passwordMark } from "#server/core/access/sign-in/password-mark.ts";
import { countAttempt, forgetAttempt } from "#server/core/access/sign-in/throttle.ts";
import { verifyPassword } from "#server/core/access/sign-in/verify-password.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Asks a signed-in person for their password before a sensitive change. Wrong passwords count toward the
 * sign-in limits.
 *
 * @param clientAddress the client's IP address
 * @throws Refusal `invalid` beginning with `current_password`, `rate_limit_exceeded`
 */
export async function requireOwnPassword(
  db: Db,
  { email, password, clientAddress }: { email: string; password: string; clientAddress: string },
): Promise<void> {
  const mark = passwordMark(email, password);
  const attempt = await countAttempt(db, { account: email, clientAddress, passwordMark: mark });
  const [person] = await db
    .select({ passwordHash: people.passwordHash })
    .from(people)
    .where(eq(people.email, email));
  if (!(await verifyPassword(password, person?.passwordHash ?? null)))
    throw new Refusal("invalid", "current_password: is incorrect");
  await forgetAttempt(db, attempt);
}
