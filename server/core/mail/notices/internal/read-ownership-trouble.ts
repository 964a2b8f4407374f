import { and, eq, isNotNull, sql } from "drizzle-orm";

import { type Domain, domains } from "#drizzle/schema/index.ts";
import { OWNERSHIP_GRACE_DAYS } from "#server/core/domains/ownership/ownership-grace.ts";
import type { Db } from "#server/db/client.ts";

import type { OwnershipNotice } from "./ownership-notice.ts";

export type OwnershipTrouble = {
  domain: Domain;
  /** When another company can take the name over; null after that happened. */
  graceEndsAt: string | null;
};

/** The problem a notice is about; null when it is solved or the domain was deleted. */
export async function readOwnershipTrouble(
  db: Db,
  companyId: string,
  { kind, domainId }: OwnershipNotice,
): Promise<OwnershipTrouble | null> {
  const since = kind === "ownership_lost" ? domains.ownershipLostAt : domains.ownershipMissingSince;
  const [trouble] = await db
    .select({
      domain: domains,
      graceEndsAt: sql<
        string | null
      >`${domains.ownershipMissingSince} + make_interval(days => ${OWNERSHIP_GRACE_DAYS})`,
    })
    .from(domains)
    .where(and(eq(domains.id, domainId), eq(domains.companyId, companyId), isNotNull(since)));
  return trouble ?? null;
}
