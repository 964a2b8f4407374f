import { and, eq, sql } from "drizzle-orm";

import { auditEntries } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

/** Counts the company's audit entries of an action in the last seconds, for limits on rare actions. */
export function countRecentAudits(
  { db, companyId }: CompanyScope,
  action: `${string}.${string}`,
  seconds: number,
): Promise<number> {
  return db.$count(
    auditEntries,
    and(
      eq(auditEntries.companyId, companyId),
      eq(auditEntries.action, action),
      sql`${auditEntries.createdAt} > clock_timestamp() - make_interval(secs => ${seconds})`,
    ),
  );
}
