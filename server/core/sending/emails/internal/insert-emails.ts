import { type SQL, sql } from "drizzle-orm";

import { publishEmailEvents } from "#server/core/sending/events/publish-email-events.ts";
import {
  insertEvents,
  insertOutboxRows,
  QUEUED_COLUMN_TYPES,
  sentAt,
} from "#server/core/sending/outbox/queue-rows.ts";
import type { Db } from "#server/db/client.ts";
import { textSafeJson } from "#server/db/text-safe-json.ts";

import { bodyRow, emailRow, eventRows } from "./email-rows.ts";
import type { AcceptedEmail } from "./check-request.ts";

/** What to add to the totals of a scope, and their limits; null for no limit. */
export type QuotaUsage = {
  scope: string;
  hour: number;
  hour_max: number | null;
  month: number;
  month_max: number | null;
  scheduled: number;
  scheduled_max: number | null;
};

/**
 * Writes accepted emails with their bodies, events and outbox rows and adds to the totals, in one statement.
 * Its text does not depend on the number of rows, so it is prepared once; outside a transaction it commits on
 * its own. If the totals have no room, nothing is written.
 *
 * Totals are checked under their lock, taken in the order of lock-totals.ts. They are not swept first, so
 * they may still include sends older than 60 minutes.
 *
 * @param isPublished whether a webhook may subscribe; otherwise webhooks are not looked up
 * @returns whether there was room
 */
export async function insertEmails(
  db: Db,
  {
    accepted,
    taken,
    isPublished,
  }: { accepted: AcceptedEmail[]; taken: QuotaUsage[]; isPublished: boolean },
): Promise<boolean> {
  const returning = isPublished ? sql`returning *` : sql``;
  const [row] = await db.execute<{ fits: boolean }>(sql`
    with taken as materialized (
      select * from json_to_recordset(${JSON.stringify(taken)}::json) as t(scope uuid, hour bigint,
        hour_max bigint, month bigint, month_max bigint, scheduled bigint,
        scheduled_max bigint)
    ), held as materialized (
      select * from sending_totals where scope = any(array(select scope from taken))
      order by scope for update
    ), room as materialized (
      select count(*) = (select count(*) from taken) and coalesce(bool_and(${HAS_ROOM}), true) as fits
      from taken join held using (scope)
    ), totals as (
      update sending_totals t set hour_recipients = t.hour_recipients + taken.hour,
        scheduled_recipients = t.scheduled_recipients + taken.scheduled,
        month_recipients = ${MONTH} + taken.month, month = ${THIS_MONTH}
      from taken where t.scope = taken.scope and (select fits from room)
    ), seconds as (
      insert into sending_seconds as s (scope, second, recipients)
      select scope, floor(extract(epoch from statement_timestamp())), hour from taken, room
      where fits and hour > 0
      on conflict (scope, second) do update set recipients = s.recipients + excluded.recipients
    ), mail as (
      ${emailsOf(accepted)} ${returning}
    ), bodies as (
      ${bodiesOf(accepted)}
    ), events as (
      ${insertEvents(accepted.flatMap(eventRows))} ${IF_FITS} ${returning}
    ), waiting as (
      ${insertOutboxRows(accepted)} ${IF_FITS}
    ) ${isPublished ? PUBLISHED : sql``}
    select fits from room`);
  return row!.fits;
}

const PUBLISHED = sql`, published as (${publishEmailEvents("events", "mail")})`;

/** By the database's clock, as refunds and scheduled emails count. */
const THIS_MONTH = sql.raw(`to_char(statement_timestamp() at time zone 'UTC', 'YYYY-MM-01')`);

const HAS_ROOM = sql`
  (taken.hour = 0 or taken.hour_max is null or held.hour_recipients + taken.hour <= taken.hour_max)
  and (taken.month = 0 or taken.month_max is null
    or case when held.month = ${THIS_MONTH} then held.month_recipients else 0 end + taken.month
      <= taken.month_max)
  and (taken.scheduled = 0 or taken.scheduled_max is null
    or held.scheduled_recipients + taken.scheduled <= taken.scheduled_max)`;

const MONTH = sql`case when t.month = ${THIS_MONTH} then t.month_recipients else 0 end`;

const IF_FITS = sql.raw("where (select fits from room)");

const emailsOf = (accepted: AcceptedEmail[]): SQL => sql`
  insert into emails (id, company_id, domain_id, api_key_id, sent_by_admin_id, message_id, "from",
    subject, "to", cc, bcc, reply_to, tags, last_event, event_types, sent_at, scheduled_at, due_at,
    open_tracking, click_tracking, size, is_test)
  select id, company_id, domain_id, api_key_id, sent_by_admin_id, message_id, "from", subject, "to", cc,
    bcc, reply_to, tags, last_event, event_types, ${sentAt("t")}, scheduled_at, scheduled_at,
    open_tracking, click_tracking, size, is_test
  from json_to_recordset(${textSafeJson(accepted.map(emailRow))}::json) as t(id uuid, company_id uuid,
    domain_id uuid, api_key_id uuid, sent_by_admin_id uuid, "from" text, subject text, "to" text[],
    cc text[], bcc text[], reply_to text[], tags jsonb, scheduled_at timestamptz, size int, is_test boolean,
    ${QUEUED_COLUMN_TYPES})
  ${IF_FITS}`;

/** A failed email is never sent, so its body isn't stored. */
const bodiesOf = (accepted: AcceptedEmail[]): SQL => sql`
  insert into email_bodies (email_id, address_headers, html, text, headers)
  select * from json_to_recordset(${textSafeJson(
    accepted.filter(({ state }) => state !== "failed").map(bodyRow),
  )}::json) as t(email_id uuid, address_headers jsonb, html text, text text, headers jsonb)
  ${IF_FITS}`;
