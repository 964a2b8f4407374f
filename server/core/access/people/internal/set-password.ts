import { eq } from "drizzle-orm";

import { admins, companies, people } from "#drizzle/schema/index.ts";
import type { Actor } from "#server/core/shared/context.ts";
import { notifyPerson } from "#server/core/access/people/notify-person.ts";
import { endSessionsOfPerson } from "#server/core/access/sessions/console-sessions.ts";
import { endPersonSteps } from "#server/core/access/sign-in/steps.ts";
import type { Db } from "#server/db/client.ts";

import { auditInEachCompany } from "#server/core/access/people/audit-in-each-company.ts";
import { requireStrongPassword } from "#server/core/access/admins/password.ts";

/**
 * Rejects a password that is too weak for the person.
 *
 * @throws Refusal `invalid` beginning with `password`
 */
export async function requireGoodPassword(db: Db, email: string, password: string): Promise<void> {
  const known = await db
    .select({ name: admins.name, company: companies.name })
    .from(admins)
    .innerJoin(companies, eq(companies.id, admins.companyId))
    .where(eq(admins.email, email));
  const words = known.flatMap(({ name, company }) => [name, company]);
  requireStrongPassword(password, [email.split("@")[0]!, ...words]);
}

/**
 * Sets a person's password, which must have passed `requireGoodPassword`. Ends their sessions and pending
 * sign-in steps and notifies them by email. Call in a transaction.
 *
 * @param actor who did it; defaults to the person
 * @param details for the audit log, in addition to the address
 */
export async function setPersonPassword(
  db: Db,
  email: string,
  {
    passwordHash,
    actor,
    by,
    details = {},
  }: {
    passwordHash: string;
    actor?: Actor;
    by: "change" | "link";
    details?: Record<string, unknown>;
  },
): Promise<void> {
  await db.update(people).set({ passwordHash }).where(eq(people.email, email));
  await endSessionsOfPerson(db, email);
  await endPersonSteps(db, email);
  const action = by === "link" ? "admin.password_reset" : "admin.password_changed";
  await auditInEachCompany(db, { email, ...(actor && { actor }) }, action, { email, ...details });
  await notifyPerson(db, { email, what: "password_changed" });
}
