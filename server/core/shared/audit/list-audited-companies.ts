import { asc, sql } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** All companies, including the appliance's own, by name. */
export const listAuditedCompanies = (db: Db): Promise<{ id: string; name: string }[]> =>
  db
    .select({ id: companies.id, name: companies.name })
    .from(companies)
    .orderBy(asc(sql`lower(${companies.name})`), asc(companies.id));
