import { and, desc, inArray, isNotNull, sql } from "drizzle-orm";
import { getDomain } from "tldts";

import { domains } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/**
 * The company's domain that a report about `name` belongs to: the name itself, or the nearest domain
 * above it, no further than the organisational one. Only proven domains count, of whichever company.
 */
export async function findReportedDomain(
  db: Db,
  name: string,
): Promise<{ id: string; companyId: string } | null> {
  const [found] = await db
    .select({ id: domains.id, companyId: domains.companyId })
    .from(domains)
    .where(and(inArray(domains.name, namesUpFrom(name)), isNotNull(domains.ownershipProvenAt)))
    .orderBy(desc(sql`length(${domains.name})`))
    .limit(1);
  return found ?? null;
}

/** `a.b.example.com`, `b.example.com`, `example.com`. */
function namesUpFrom(name: string): string[] {
  const top = getDomain(name) ?? name;
  const labels = name.split(".");
  const above = labels.length - top.split(".").length;
  return Array.from({ length: above + 1 }, (_, at) => labels.slice(at).join("."));
}
