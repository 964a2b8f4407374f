import { and, eq, ne, sql } from "drizzle-orm";

import { deletedItems, domains } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

import { blocksName } from "./ownership-grace.ts";

/**
 * Whether another company owns the name: its ownership is verified, and its record is published or has been
 * missing for less than the grace period, or it deleted the domain and can still restore it. No other company can add
 * the name then.
 */
export async function isOwnedElsewhere(
  { db, companyId }: CompanyScope,
  name: string,
): Promise<boolean> {
  const [other] = await db
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.name, name), blocksName, ne(domains.companyId, companyId)));
  return other !== undefined || (await isKeptElsewhere({ db, companyId }, name));
}

async function isKeptElsewhere({ db, companyId }: CompanyScope, name: string): Promise<boolean> {
  const isKept = and(
    ...[eq(deletedItems.name, name), eq(deletedItems.kind, "domain")],
    ...[eq(deletedItems.isReserved, true), ne(deletedItems.companyId, companyId)],
    sql`${deletedItems.contents} -> 'domains' -> 0 ->> 'ownership_proven_at' is not null`,
  );
  return (await db.$count(deletedItems, isKept)) > 0;
}
