import { and, eq, inArray, isNotNull } from "drizzle-orm";

import { domainFindings, domains } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Those of the names whose mail comes to this appliance, with their companies: ownership is proven, and
 * the MX record that was found last leads here. A company that is moving has its MX elsewhere, where
 * mail must go for whom it has no mailbox here yet.
 */
export async function findHostedDomains(db: Db, names: string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await db
    .select({ name: domains.name, companyId: domains.companyId })
    .from(domains)
    .innerJoin(
      domainFindings,
      and(eq(domainFindings.domainId, domains.id), eq(domainFindings.record, "mx")),
    )
    .where(
      and(
        inArray(domains.name, [...new Set(names)]),
        isNotNull(domains.ownershipProvenAt),
        eq(domainFindings.isVerified, true),
      ),
    );
  return new Map(rows.map(({ name, companyId }) => [name, companyId]));
}
