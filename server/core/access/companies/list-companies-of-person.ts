import { and, asc, eq, isNull } from "drizzle-orm";

import { admins, companies } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** A company the person can open, and their admin id in it. */
type OpenCompany = { id: string; name: string; adminId: string };

/**
 * Lists the companies a person can sign in to now, by name. Leaves out suspended companies and those that
 * suspended the person's access.
 */
export function listCompaniesOfPerson(db: Db, email: string): Promise<OpenCompany[]> {
  return db
    .select({ id: companies.id, name: companies.name, adminId: admins.id })
    .from(admins)
    .innerJoin(companies, eq(companies.id, admins.companyId))
    .where(and(eq(admins.email, email), isNull(admins.disabledAt), isNull(companies.suspendedAt)))
    .orderBy(asc(companies.name), asc(companies.id));
}
