import { and, eq, inArray } from "drizzle-orm";

import { type DomainRecordKind, domainFindings } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** Those that sending needs first, then what is recommended, and the ones for receiving. */
const LISTED: DomainRecordKind[] = ["ownership", "spf", "dkim", "dmarc", "mx"];

/** What the last check of each of these domains looked for and did not find, the most needed first. */
export async function listMissingRecords(
  ctx: Context,
  domainIds: string[],
): Promise<Map<string, DomainRecordKind[]>> {
  const missing = new Map<string, DomainRecordKind[]>(domainIds.map((id) => [id, []]));
  if (domainIds.length === 0) return missing;
  const findings = await ctx.db
    .select({ domainId: domainFindings.domainId, record: domainFindings.record })
    .from(domainFindings)
    .where(and(inArray(domainFindings.domainId, domainIds), eq(domainFindings.isVerified, false)));
  for (const record of LISTED)
    for (const found of findings)
      if (found.record === record) missing.get(found.domainId)?.push(record);
  return missing;
}
