import { and, eq, inArray } from "drizzle-orm";

import { type DomainRecordKind, domainFindings } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** In order of importance: required for sending, recommended, for receiving. */
const LISTED: DomainRecordKind[] = ["ownership", "spf", "dkim", "dmarc", "mx"];

/** Lists the records that the last check of each domain didn't find, most important first. */
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
