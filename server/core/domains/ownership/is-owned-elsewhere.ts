import { and, eq, ne, sql } from "drizzle-orm";

import { deletedItems, domains } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

import { blocksName, OWNERSHIP_GRACE_DAYS } from "./ownership-grace.ts";

/**
 * Whether another company owns the name: its ownership is verified, and its record is published or has been
 * missing for less than the grace period, or it deleted the domain within the grace period and can restore it. No other
 * company can add the name then.
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

/** The record of a deleted domain isn't checked, so it counts as missing since the deletion at the latest. */
async function isKeptElsewhere({ db, companyId }: CompanyScope, name: string): Promise<boolean> {
  const kept = sql`${deletedItems.contents} -> 'domains' -> 0`;
  const isKept = and(
    ...[eq(deletedItems.name, name), eq(deletedItems.kind, "domain")],
    ...[eq(deletedItems.isReserved, true), ne(deletedItems.companyId, companyId)],
    sql`${kept} ->> 'ownership_proven_at' is not null`,
    sql`least((${kept} ->> 'ownership_missing_since')::timestamptz, ${deletedItems.createdAt})
      > statement_timestamp() - make_interval(days => ${OWNERSHIP_GRACE_DAYS})`,
  );
  return (await db.$count(deletedItems, isKept)) > 0;
}
