import { and, eq, isNull } from "drizzle-orm";

import { admins, companies } from "#drizzle/schema/index.ts";
import { Refusal } from "#server/core/refusals.ts";
import { startSession } from "#server/core/sessions/sessions.ts";
import type { Db } from "#server/db/client.ts";

import { isPassword } from "./password.ts";
import { countAttempt, forgetAttempt } from "./throttle-sign-in.ts";

/**
 * Signs an admin in and returns the Set-Cookie value of the new session. An unknown address, a wrong
 * password and a person whose access is switched off get the same answer after the same time.
 *
 * @param address where the request comes from
 * @throws Refusal `wrong_credentials`, `rate_limit_exceeded`
 */
export async function signIn(
  db: Db,
  { email: typed, password, address }: { email: string; password: string; address: string },
): Promise<string> {
  const email = typed.trim().toLowerCase();
  const attempt = await countAttempt(db, email, address);
  const [found] = await db
    .select({ id: admins.id, passwordHash: admins.passwordHash })
    .from(admins)
    .innerJoin(companies, eq(companies.id, admins.companyId))
    .where(and(eq(admins.email, email), isNull(admins.disabledAt), isNull(companies.suspendedAt)));
  if (!(await isPassword(password, found?.passwordHash ?? null)) || !found)
    throw new Refusal("wrong_credentials", "The email address or the password is wrong");
  await forgetAttempt(db, attempt);
  return startSession(db, found.id);
}
