import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import type { Operator } from "#server/core/operations/companies/operators.ts";
import { isOnHold } from "#server/core/operations/queue/holds.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";

import { aCompany, anAdmin } from "./factories.ts";

/** An operator, for core functions. */
export const anOperator = (email = "olga@operator.example"): Operator => ({
  db: db(),
  email,
  now: () => new Date(),
});

/** The cookie of an operator, who has a company of their own. */
export async function anOperatorSession(): Promise<{ cookie: string; email: string }> {
  const { email, id } = await anAdmin((await aCompany()).id, { isOperator: true });
  return { cookie: (await startSession(db(), id)).split(";")[0]!, email };
}

/** The cookie of an owner who is not an operator. */
export async function anOwnerSession(companyId?: string): Promise<string> {
  const { id } = await anAdmin(companyId ?? (await aCompany()).id, { isOwner: true });
  return (await startSession(db(), id)).split(";")[0]!;
}

export async function companyNow(id: string) {
  const [company] = await db().select().from(companies).where(eq(companies.id, id));
  return company!;
}

/** Whether mail to a destination is on hold. */
export const isHeldNow = (subject: string) => isOnHold(db(), { kind: "destination", subject });
