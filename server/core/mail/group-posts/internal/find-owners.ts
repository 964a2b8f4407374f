import { and, eq, exists, inArray, isNull, sql } from "drizzle-orm";

import { admins, companies } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

/** Addresses of the company's owners who aren't disabled. */
export async function findOwners(ctx: CompanyScope): Promise<string[]> {
  const rows = await ctx.db
    .select({ email: admins.email })
    .from(admins)
    .where(and(eq(admins.companyId, ctx.companyId), admins.isOwner, isNull(admins.disabledAt)))
    .orderBy(admins.email);
  return rows.map(({ email }) => email);
}

/**
 * The company whose owners are responsible for the appliance itself: the oldest customer that has an owner, or else
 * the sandbox. Null before setup.
 */
export async function findHostCompany(db: Db): Promise<string | null> {
  const isOwned = exists(
    db
      .select({ id: admins.id })
      .from(admins)
      .where(and(eq(admins.companyId, companies.id), admins.isOwner, isNull(admins.disabledAt))),
  );
  const [company] = await db
    .select({ id: companies.id })
    .from(companies)
    .where(and(inArray(companies.purpose, ["customer", "sandbox"]), isOwned))
    .orderBy(sql`${companies.purpose} = 'sandbox'`, companies.createdAt)
    .limit(1);
  return company?.id ?? null;
}
