import { and, asc, eq, isNull, ne, sql } from "drizzle-orm";

import { admins, companies, type Company } from "#drizzle/schema/index.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
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

/** A company the person can open, and their admin id in it. */
type OpenCompany = { id: string; name: string; adminId: string };

/**
 * Lists the companies a person can open now, by name. Leaves out suspended companies, those that suspended the person's
 * access, and all others if a company's identity provider started the session.
 */
export function listCompaniesOfPerson(
  db: Db,
  { email, companyId, providerId }: Pick<SignedIn, "email" | "companyId" | "providerId">,
): Promise<OpenCompany[]> {
  return db
    .select({ id: companies.id, name: companies.name, adminId: admins.id })
    .from(admins)
    .innerJoin(companies, eq(companies.id, admins.companyId))
    .where(
      and(
        eq(admins.email, email),
        isNull(admins.disabledAt),
        isNull(companies.suspendedAt),
        providerId === null ? undefined : eq(companies.id, companyId),
      ),
    )
    .orderBy(asc(companies.name), asc(companies.id));
}

/** Whether the server has a company other than the caller's. Its own company and the sandbox don't count. */
export async function hasSeveralCompanies({ db, companyId }: CompanyScope): Promise<boolean> {
  const others = await db
    .select({ id: companies.id })
    .from(companies)
    .where(and(eq(companies.purpose, "customer"), ne(companies.id, companyId)))
    .limit(1);
  return others.length > 0;
}
