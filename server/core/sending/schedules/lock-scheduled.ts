import { and, asc, eq, isNotNull, type SQL, sql } from "drizzle-orm";

import { emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

import type { LockedSchedule } from "./internal/end-scheduled.ts";

export const SCHEDULE_COLUMNS = {
  id: emails.id,
  companyId: emails.companyId,
  apiKeyId: emails.apiKeyId,
  createdAt: emails.createdAt,
  isTest: emails.isTest,
  /** Test emails don't count toward quotas. */
  recipients: sql<number>`case when ${emails.isTest} then 0
    else cardinality(${emails.to}) + cardinality(${emails.cc}) + cardinality(${emails.bcc}) end`,
};

/**
 * Locks the company's scheduled emails that match `which` until the transaction ends. Waits for emails that
 * are being sent, and then leaves them out.
 */
export function lockScheduled(ctx: Context, which: SQL | undefined): Promise<LockedSchedule[]> {
  return ctx.db
    .select(SCHEDULE_COLUMNS)
    .from(emails)
    .where(and(which, eq(emails.companyId, ctx.companyId), isNotNull(emails.dueAt)))
    .orderBy(asc(emails.id))
    .for("no key update");
}
