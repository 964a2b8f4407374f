import { and, asc, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";

import { emails } from "#drizzle/schema/index.ts";
import { eventBitSql, publishEmailEvents } from "#server/core/sending/events/email-events.ts";
import {
  calendarMonth,
  changeTotals,
  lockTotals,
  type TotalsChange,
} from "#server/core/sending/quotas/totals.ts";
import type { Context } from "#server/core/shared/context.ts";
import { createWake } from "#server/core/shared/wake.ts";
import type { Db } from "#server/db/client.ts";

/** Postgres channel that notifies the scheduler that an email is due earlier than it knows. */
export const SCHEDULES_CHANNEL = "schedules";

/** Makes the scheduler look now when the next email is due. It also looks every ten seconds. */
export const wakeScheduler = createWake(SCHEDULES_CHANNEL);

export const SCHEDULE_COLUMNS = {
  id: emails.id,
  companyId: emails.companyId,
  apiKeyId: emails.apiKeyId,
  createdAt: emails.createdAt,
  isTest: emails.isTest,
  /** What counts toward quotas: the addresses in to, cc and bcc; 0 for a test email. */
  recipients: sql<number>`case when ${emails.isTest} then 0
    else cardinality(${emails.to}) + cardinality(${emails.cc}) + cardinality(${emails.bcc}) end`,
};

/**
 * Locks the company's scheduled emails that match `which` until the transaction ends. Waits for emails that
 * are being sent, and then leaves them out.
 */
export const lockScheduled = (ctx: Context, which: SQL | undefined) =>
  ctx.db
    .select(SCHEDULE_COLUMNS)
    .from(emails)
    .where(and(which, eq(emails.companyId, ctx.companyId), isNotNull(emails.dueAt)))
    .orderBy(asc(emails.id))
    .for("no key update");

/** Cancels scheduled emails that the caller's transaction has locked, and refunds their quotas. */
export async function cancelLocked(
  ctx: Context,
  emails: LockedSchedule[],
  reason: string,
): Promise<void> {
  if (emails.length === 0) return;
  await endScheduled(
    ctx.db,
    emails.map((email) => ({ email, type: "canceled", reason })),
  );
  await lockTotals(ctx.db, [ctx.companyId]);
  await changeTotals(ctx.db, refundTotals(emails));
}

/** The reason recorded for canceled emails of a revoked key. */
export const KEY_REVOKED = "The API key that scheduled the email was revoked";

/**
 * Cancels the scheduled emails of keys that are being revoked, in the caller's transaction.
 *
 * @returns the number canceled, by key
 */
export async function cancelEmailsOfKeys(
  ctx: Context,
  keyIds: string[],
): Promise<Map<string, number>> {
  if (keyIds.length === 0) return new Map();
  const waiting = await lockScheduled(ctx, inArray(emails.apiKeyId, keyIds));
  await cancelLocked(ctx, waiting, KEY_REVOKED);
  return new Map(
    keyIds.map((keyId) => [keyId, waiting.filter(({ apiKeyId }) => apiKeyId === keyId).length]),
  );
}

/** A scheduled email whose row the caller has locked. */
export type LockedSchedule = Awaited<ReturnType<typeof lockScheduled>>[number];

/** How a scheduled email ends without being sent. */
export type ScheduleEnd = {
  email: LockedSchedule;
  type: "canceled" | "failed";
  reason: string;
};

/** Records the end of scheduled emails that are not sent. The caller refunds their quotas. */
export async function endScheduled(db: Db, ends: ScheduleEnd[]): Promise<void> {
  if (ends.length === 0) return;
  const rows = ends.map(({ email, type, reason }) => ({ id: email.id, type, reason }));
  await db.execute(sql`
    with given as materialized (
      select id, type::email_event_type as type, reason
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as t(id uuid, type text, reason text)
    ), ended as (
      update emails set due_at = null, last_event = given.type,
        event_types = event_types | ${eventBitSql(sql`given.type`)}
      from given
      where emails.id = given.id and emails.id = any(array(select id from given))
      returning emails.id, emails.company_id, given.type, given.reason
    ), events as (
      insert into email_events (email_id, company_id, type, reason)
      select id, company_id, type, reason from ended order by id
      returning *
    )
    ${publishEmailEvents("events", "emails")}`);
}

/** What to subtract from the totals for emails that won't be sent, by company and month. */
export function refundTotals(emails: LockedSchedule[]): TotalsChange[] {
  const groups = Map.groupBy(
    emails,
    ({ companyId, createdAt }) => companyId + calendarMonth(new Date(createdAt)),
  );
  return [...groups.values()].map((group) => {
    const { companyId, createdAt } = group[0]!;
    const recipients = group.reduce((sum, email) => sum + email.recipients, 0);
    return {
      companyId,
      month: { of: calendarMonth(new Date(createdAt)), by: -recipients },
      scheduled: -recipients,
    };
  });
}
