import { and, eq, isNotNull, or } from "drizzle-orm";

import { admins, companies, people } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Whether a company has an owner, which ends the first run. The sandbox counts if its owner can sign in, as in local
 * mode; on a server it only serves the self-check.
 */
export async function isSetUp(db: Db): Promise<boolean> {
  const [owner] = await db
    .select({ id: admins.id })
    .from(admins)
    .innerJoin(companies, eq(companies.id, admins.companyId))
    .innerJoin(people, eq(people.email, admins.email))
    .where(
      and(
        eq(admins.isOwner, true),
        or(eq(companies.purpose, "customer"), isNotNull(people.passwordHash)),
      ),
    )
    .limit(1);
  return owner !== undefined;
}
