import { sql } from "drizzle-orm";

import { eventBitSql } from "#server/core/sending/events/event-type-bits.ts";
import type { TotalsChange } from "#server/core/sending/quotas/change-totals.ts";
import { calendarMonth } from "#server/core/sending/quotas/scope.ts";
import { publishEmailEvents } from "#server/core/sending/events/publish-email-events.ts";
import type { Db } from "#server/db/client.ts";

/** A scheduled email whose row the caller has locked. */
export type LockedSchedule = {
  id: string;
  companyId: string;
  apiKeyId: string | null;
  isTest: boolean;
  createdAt: string;
  /** What counts toward quotas: the addresses in to, cc and bcc; 0 for a test email. */
  recipients: number;
};

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
