import { hash } from "@node-rs/argon2";
import { eq } from "drizzle-orm";

import { admins, companies, people, sessions } from "#drizzle/schema/index.ts";
import type { Privilege } from "#server/universal/privileges.ts";
import { db } from "#server/db/pool.ts";

// Changes to an admin whose page is open.

export async function setPassword(email: string, password: string): Promise<void> {
  const passwordHash = await hash(password, { memoryCost: 1024, timeCost: 1 });
  await db().update(people).set({ passwordHash }).where(eq(people.email, email));
}

export async function endSessions(email: string): Promise<void> {
  const theirs = await db().select().from(admins).where(eq(admins.email, email));
  for (const { id } of theirs) await db().delete(sessions).where(eq(sessions.userId, id));
}

export async function setPrivileges(email: string, privileges: Privilege[]): Promise<void> {
  await db().update(admins).set({ privileges }).where(eq(admins.email, email));
}

export async function requireSecondFactor(companyId: string): Promise<void> {
  await db()
    .update(companies)
    .set({ secondFactorRequired: true })
    .where(eq(companies.id, companyId));
}

export async function makeOperator(email: string): Promise<void> {
  await db().update(people).set({ isOperator: true }).where(eq(people.email, email));
}
