import { and, eq, isNull } from "drizzle-orm";

import { admins, companies, people } from "#drizzle/schema/index.ts";
import { Refusal } from "#server/core/refusals.ts";
import { startSession } from "#server/core/sessions/sessions.ts";
import { rememberNetwork } from "#server/core/sign-in/networks.ts";
import { passwordMark } from "#server/core/sign-in/password-mark.ts";
import { accountOf, countAttempt, forgetAttempt } from "#server/core/sign-in/throttle.ts";
import { verifyPassword } from "#server/core/sign-in/verify-password.ts";
import type { Db } from "#server/db/client.ts";

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
  const email = accountOf(typed);
  const attempt = await countAttempt(db, {
    account: email,
    clientAddress: address,
    passwordMark: passwordMark(email, password),
  });
  const [found] = await db
    .select({ id: admins.id, passwordHash: people.passwordHash })
    .from(people)
    .innerJoin(admins, eq(admins.email, people.email))
    .innerJoin(companies, eq(companies.id, admins.companyId))
    .where(and(eq(people.email, email), isNull(admins.disabledAt), isNull(companies.suspendedAt)));
  if (!(await verifyPassword(password, found?.passwordHash ?? null)) || !found)
    throw new Refusal("wrong_credentials", "The email address or the password is wrong");
  await forgetAttempt(db, attempt);
  await rememberNetwork(db, email, address);
  return startSession(db, found.id);
}
