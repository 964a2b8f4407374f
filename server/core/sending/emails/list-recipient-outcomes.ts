import { sql } from "drizzle-orm";

import type { EmailState, Suppression } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";

/** The outcome for one recipient of an email, or what it is waiting for. */
export type RecipientOutcome = {
  address: string;
  field: "to" | "cc" | "bcc";
  state: EmailState;
  /** Null before the first outcome. */
  at: string | null;
  /** Enhanced status code and reply of the receiving server. */
  dsn: string | null;
  message: string | null;
  reason: string | null;
  /** Attempts that failed temporarily. */
  failures: number;
  /** Null if no attempt is due. */
  nextAttemptAt: string | null;
  isInProgress: boolean;
  /** When delivery is given up; null if nothing is queued. */
  expiresAt: string | null;
  /** Set if the address is on the company's suppression list. */
  suppression: {
    id: string;
    origin: Suppression["origin"];
    isOfThisEmail: boolean;
  } | null;
};

/** Lists the outcome for each recipient of an email of the company, each address once, in field order. */
export async function listRecipientOutcomes(
  ctx: Context,
  emailId: string,
): Promise<RecipientOutcome[]> {
  const { retry_hours_email: retryHours } = await currentSettings(ctx.db);
  const rows = await ctx.db.execute<RecipientOutcome>(sql`
    with email as materialized (
      select id, company_id, last_event, "to", cc, bcc from emails
      where id = ${emailId}::uuid and company_id = ${ctx.companyId}::uuid
    ), named as (
      select address, 'to' as field, place from email, unnest("to") with ordinality as t(address, place)
      union all select address, 'cc', 1000 + place from email, unnest(cc) with ordinality as t(address, place)
      union all select address, 'bcc', 2000 + place from email, unnest(bcc) with ordinality as t(address, place)
    ), recipient as (
      select distinct on (address) address, field, place from named order by address, place
    )
    select r.address, r.field, own.at, own.dsn, own.message,
      coalesce(own.reason, case
        when own.type is null or own.type = 'delivery_delayed' and w.id is null then whole.reason end) as reason,
      coalesce(case
        when w.id is not null and own.type is distinct from 'delivery_delayed' then 'sent'
        when own.type = 'delivery_delayed' and w.id is null and whole.type = 'failed' then 'failed'
        when own.type is not null then own.type::text
        else whole.type::text end, email.last_event::text) as state,
      coalesce(w.attempt, 0) as failures, w.next_attempt_at as "nextAttemptAt",
      w.lease_until is not null as "isInProgress",
      greatest(w.retries_from, w.created_at) + make_interval(hours => ${retryHours}) as "expiresAt",
      case when s.id is not null then json_build_object('id', s.id, 'origin', s.origin,
        'isOfThisEmail', coalesce(s.source_id = email.id, false)) end as suppression
    from recipient r cross join email
      left join lateral (
        select type, dsn, message, reason, created_at as at from email_events
        where email_id = email.id and recipient = r.address
          and type in ('delivered', 'delivery_delayed', 'bounced', 'failed', 'suppressed')
        order by id desc limit 1) own on true
      left join lateral (
        select type, reason from email_events
        where email_id = email.id and recipient is null
          and type in ('scheduled', 'queued', 'sent', 'failed', 'canceled')
        order by id desc limit 1) whole on true
      left join lateral (
        select id, attempt, next_attempt_at, lease_until, created_at, retries_from from outbox
        where email_id = email.id and recipient = r.address limit 1) w on true
      left join suppressions s on s.company_id = email.company_id and s.email = lower(r.address)
    order by r.place`);
  return [...rows];
}
