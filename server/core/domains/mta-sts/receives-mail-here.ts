import { and, eq, isNotNull } from "drizzle-orm";

import { domainFindings, domains } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Whether the domain belongs to a company, is verified, and its MX record points here.
 *
 * @param name lowercase A-labels
 */
export async function receivesMailHere(db: Db, name: string): Promise<boolean> {
  const [found] = await db
    .select({ id: domains.id })
    .from(domains)
    .innerJoin(domainFindings, eq(domainFindings.domainId, domains.id))
    .where(
      and(
        eq(domains.name, name),
        isNotNull(domains.ownershipProvenAt),
        eq(domainFindings.record, "mx"),
        eq(domainFindings.isVerified, true),
      ),
    )
    .limit(1);
  return found !== undefined;
}
