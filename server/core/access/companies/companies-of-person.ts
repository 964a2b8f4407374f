import { and, asc, eq, isNull } from "drizzle-orm";

import { admins, companies } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** A company whose console is open to a person, and the admin they are in it. */
type OpenCompany = { id: string; name: string; adminId: string };

/** The companies that a person may enter at this moment, by name: none that is suspended or has shut them out. */
export function companiesOfPerson(db: Db, email: string): Promise<OpenCompany[]> {
  return db
    .select({ id: companies.id, name: companies.name, adminId: admins.id })
    .from(admins)
    .innerJoin(companies, eq(companies.id, admins.companyId))
    .where(and(eq(admins.email, email), isNull(admins.disabledAt), isNull(companies.suspendedAt)))
    .orderBy(asc(companies.name), asc(companies.id));
}
