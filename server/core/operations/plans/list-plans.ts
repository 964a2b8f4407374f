import { count, eq, getTableColumns, sql } from "drizzle-orm";

import { companies, type Plan, plans } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

export type ListedPlan = Plan & {
  /** The number of companies on it. */
  companies: number;
};

/** All plans by name, without paging. */
export function listPlans(db: Db): Promise<ListedPlan[]> {
  return db
    .select({ ...getTableColumns(plans), companies: count(companies.id) })
    .from(plans)
    .leftJoin(companies, eq(companies.planId, plans.id))
    .groupBy(plans.id)
    .orderBy(sql`lower(${plans.name})`);
}
