import { type SQL, sql } from "drizzle-orm";

import { publishEmailEvents } from "#server/core/sending/events/publish-email-events.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Db } from "#server/db/client.ts";

import { bodyRow, emailRow, eventRows } from "./email-rows.ts";
import type { AcceptedEmail } from "./check-request.ts";

/** How `JSON.stringify` writes a lone surrogate. A preceding backslash may itself be escaped. */
const HALF_PAIR = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** What to add to the totals of a scope, and their limits; null for no limit. */
export type QuotaUsage = {
  scope: string;
  hour: number;
  hour_max: number | null;
  month: number;
  /** First day of the month (UTC) that `month` counts in. */
  month_of: string;
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
        hour_max bigint, month bigint, month_of text, month_max bigint, scheduled bigint,
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
        month_recipients = ${MONTH} + taken.month, month = taken.month_of
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
      ${eventsOf(accepted)} ${returning}
    ), waiting as (
      ${outboxOf(accepted)}
    ) ${isPublished ? PUBLISHED : sql``}
    select fits from room`);
  return row!.fits;
}

const PUBLISHED = sql`, published as (${publishEmailEvents("events", "mail")})`;

const HAS_ROOM = sql.raw(`
  (taken.hour = 0 or taken.hour_max is null or held.hour_recipients + taken.hour <= taken.hour_max)
  and (taken.month = 0 or taken.month_max is null
    or case when held.month = taken.month_of then held.month_recipients else 0 end + taken.month
      <= taken.month_max)
  and (taken.scheduled = 0 or taken.scheduled_max is null
    or held.scheduled_recipients + taken.scheduled <= taken.scheduled_max)`);

const MONTH = sql.raw(`case when t.month = taken.month_of then t.month_recipients else 0 end`);

const emailsOf = (accepted: AcceptedEmail[]): SQL => sql`
  insert into emails (id, company_id, domain_id, api_key_id, message_id, "from", subject, "to", cc, bcc,
    reply_to, tags, last_event, event_types, sent_at, scheduled_at, due_at, open_tracking,
    click_tracking, size)
  select id, company_id, domain_id, api_key_id, message_id, "from", subject, "to", cc, bcc, reply_to,
    tags, last_event, event_types, case when is_sent then clock_timestamp() end, scheduled_at,
    scheduled_at, open_tracking, click_tracking, size
  from json_to_recordset(${textSafeJson(accepted.map(emailRow))}::json) as t(id uuid, company_id uuid,
    domain_id uuid, api_key_id uuid, message_id text, "from" text, subject text, "to" text[],
    cc text[], bcc text[], reply_to text[], tags jsonb, last_event email_event_type, event_types int,
    is_sent boolean, scheduled_at timestamptz, open_tracking boolean, click_tracking boolean, size int)
  where (select fits from room)`;

/** A failed email is never sent, so its body isn't stored. */
const bodiesOf = (accepted: AcceptedEmail[]): SQL => sql`
  insert into email_bodies (email_id, address_headers, html, text, headers)
  select * from json_to_recordset(${textSafeJson(
    accepted.filter(({ state }) => state !== "failed").map(bodyRow),
  )}::json) as t(email_id uuid, address_headers jsonb, html text, text text, headers jsonb)
  where (select fits from room)`;

const eventsOf = (accepted: AcceptedEmail[]): SQL => sql`
  insert into email_events (email_id, company_id, type, recipient, reason)
  select * from json_to_recordset(${textSafeJson(accepted.flatMap(eventRows))}::json)
    as t(email_id uuid, company_id uuid, type email_event_type, recipient text, reason text)
  where (select fits from room)`;

const outboxOf = (accepted: AcceptedEmail[]): SQL => sql`
  insert into outbox (email_id, company_id, recipient, destination)
  select * from json_to_recordset(${textSafeJson(accepted.flatMap(outboxRows))}::json)
    as t(email_id uuid, company_id uuid, recipient text, destination text)
  where (select fits from room)`;

const outboxRows = ({ id, companyId: company_id, remaining }: AcceptedEmail) =>
  remaining.map((recipient) => ({
    ...{ email_id: id, company_id, recipient, destination: addressDomain(recipient) },
  }));

/**
 * JSON that Postgres can convert to text: lone surrogates, which JSON allows and UTF-8 doesn't, become
 * U+FFFD.
 */
function textSafeJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes("\\ud") ? json.replace(HALF_PAIR, "$1\ufffd") : json;
}
