import { and, eq, inArray, isNotNull } from "drizzle-orm";

import { domainFindings, domains } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Finds which of the domains receive their mail on this appliance, with their companies: ownership is
 * verified, and the last MX check pointed here. While a company migrates, its MX still points elsewhere, and
 * mail to mailboxes that don't exist here yet must go there.
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
