import { eq, sql } from "drizzle-orm";

import { companies, type Company } from "#drizzle/schema/index.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Finds a company by id or by case-insensitive name.
 *
 * @throws Refusal `not_found`, or `invalid` if several companies have the name
 */
export async function getCompany(db: Db, idOrName: string): Promise<Company> {
  const found = await db
    .select()
    .from(companies)
    .where(
      UUID.test(idOrName)
        ? eq(companies.id, idOrName)
        : eq(sql`lower(${companies.name})`, idOrName.trim().toLowerCase()),
    )
    .limit(2);
  if (found.length === 0) throw new Refusal("not_found", `Company "${idOrName}" not found`);
  if (found.length > 1)
    throw new Refusal("invalid", `Several companies are named "${idOrName}". Use the company's ID`);
  return found[0]!;
}
