import { and, eq } from "drizzle-orm";

import { admins, companies } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** Whether the instance is set up: a company other than the sandbox has an owner. */
export async function hasOwner(db: Db): Promise<boolean> {
  const [owner] = await db
    .select({ id: admins.id })
    .from(admins)
    .innerJoin(companies, eq(companies.id, admins.companyId))
    .where(and(eq(admins.isOwner, true), eq(companies.purpose, "customer")))
    .limit(1);
  return owner !== undefined;
}
