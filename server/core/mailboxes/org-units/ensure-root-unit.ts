import { and, eq, isNull, sql } from "drizzle-orm";

import { orgUnits } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** Returns the id of a company's root unit, creating it if needed. Safe to call concurrently. */
export async function ensureRootUnit(db: Db, companyId: string): Promise<number> {
  const isRoot = and(eq(orgUnits.companyId, companyId), isNull(orgUnits.parentId));
  const [found] = await db.select({ id: orgUnits.id }).from(orgUnits).where(isRoot);
  if (found) return found.id;
  await db.execute(sql`
    insert into org_units (company_id, name)
    select id, left(name, 120) from companies where id = ${companyId}
    on conflict (company_id) where parent_id is null do nothing`);
  const [made] = await db.select({ id: orgUnits.id }).from(orgUnits).where(isRoot);
  if (!made) throw new Error(`There is no company ${companyId}`);
  return made.id;
}
