import { and, eq, isNotNull } from "drizzle-orm";

import { domainFindings, domains } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Whether the domain is some company's own, proven, and its MX record was found to lead here.
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
