import { and, eq, ne } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

import { blocksName } from "./ownership-grace.ts";

/**
 * Whether another company owns the name: its ownership is verified, and its record is published or has been
 * missing for less than the grace period. No other company can add the name then.
 */
export async function isOwnedElsewhere(
  { db, companyId }: CompanyScope,
  name: string,
): Promise<boolean> {
  const [other] = await db
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.name, name), blocksName, ne(domains.companyId, companyId)));
  return other !== undefined;
}
