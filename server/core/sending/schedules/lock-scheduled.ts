import { and, asc, eq, isNotNull, type SQL, sql } from "drizzle-orm";

import { emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

import type { LockedSchedule } from "./internal/end-scheduled.ts";

/** The columns of a `LockedSchedule`. */
export const SCHEDULE_COLUMNS = {
  id: emails.id,
  companyId: emails.companyId,
  apiKeyId: emails.apiKeyId,
  createdAt: emails.createdAt,
  recipients: sql<number>`cardinality(${emails.to}) + cardinality(${emails.cc}) + cardinality(${emails.bcc})`,
};

/**
 * Locks those scheduled emails of the company that still wait and that `which` picks, until the
 * caller's transaction ends. One that is being handed over is waited for and then counts no more.
 */
export function lockScheduled(ctx: Context, which: SQL): Promise<LockedSchedule[]> {
  return ctx.db
    .select(SCHEDULE_COLUMNS)
    .from(emails)
    .where(and(which, eq(emails.companyId, ctx.companyId), isNotNull(emails.dueAt)))
    .orderBy(asc(emails.id))
    .for("no key update");
}
