import { and, eq, isNotNull, sql } from "drizzle-orm";

import { type Domain, domains } from "#drizzle/schema/index.ts";
import { OWNERSHIP_GRACE_DAYS } from "#server/core/domains/ownership/claims.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

import type { OwnershipNotice } from "./ownership-notice.ts";

export type OwnershipTrouble = {
  domain: Domain;
  /** When another company can take the name over; null after that happened. */
  graceEndsAt: string | null;
};

/** The problem a notice is about; null when it is solved or the domain was deleted. */
export async function readOwnershipTrouble(
  ctx: CompanyScope,
  { kind, domainId }: OwnershipNotice,
): Promise<OwnershipTrouble | null> {
  const since = kind === "ownership_lost" ? domains.ownershipLostAt : domains.ownershipMissingSince;
  const [trouble] = await ctx.db
    .select({
      domain: domains,
      graceEndsAt: sql<
        string | null
      >`${domains.ownershipMissingSince} + make_interval(days => ${OWNERSHIP_GRACE_DAYS})`,
    })
    .from(domains)
    .where(and(eq(domains.id, domainId), eq(domains.companyId, ctx.companyId), isNotNull(since)));
  return trouble ?? null;
}
