import { type SQL, sql } from "drizzle-orm";

import { type Email, emailEventType } from "#drizzle/schema/index.ts";
import {
  API_ORIGINS,
  type Suppressed,
  SUPPRESSION_REASONS,
} from "#server/core/sending/suppressions/suppressed.ts";
import { createContext } from "#server/core/shared/context.ts";
import { LOCK_WEBHOOKS, publishEvent } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";

/**
 * SQL that publishes new events of emails to subscribed webhooks of their mode. Use it inside the statement that
 * inserts the events, so that both commit or neither.
 *
 * @param events name of the relation with the new rows of `email_events`
 * @param emails relation with their emails: the table, or the CTE that just inserted them
 */
export const publishEmailEvents = (events: string, emails: "emails" | "mail"): SQL => sql`
  insert into webhook_events (webhook_id, company_id, type, payload, next_attempt_at, created_at)
  select w.id, w.company_id, 'email.' || v.type, ${PAYLOAD}, clock_timestamp(), v.created_at
  from ${sql.identifier(events)} v
    join webhooks w on w.company_id = v.company_id and w.status = 'enabled'
      and 'email.' || v.type = any(w.events)
    ${EMAIL_OF[emails]}
  where w.is_test = e.is_test
  order by v.id
  ${LOCK_WEBHOOKS}`;

/** New rows are joined; table rows are looked up one by one, whatever the planner's row estimates. */
const EMAIL_OF = {
  mail: sql.raw("join mail e on e.id = v.email_id"),
  emails: sql.raw("cross join lateral (select * from emails where id = v.email_id limit 1) e"),
};

/** ISO 8601 in UTC with milliseconds. */
const iso = (moment: string) =>
  `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Maps the reason stored in the event back to the suppression's origin. */
const SUPPRESSION_TYPE = `case v.reason ${Object.entries(SUPPRESSION_REASONS)
  .map(
    ([origin, reason]) =>
      `when ${literal(reason)} then ${literal(API_ORIGINS[origin as Suppressed["origin"]])}`,
  )
  .join(" ")} end`;

const visit = (more: string) => `json_build_object('ipAddress', coalesce(v.ip_address, ''), ${more}
  'timestamp', ${iso("v.created_at")}, 'userAgent', coalesce(v.user_agent, ''))`;

const bounce = (type: string) =>
  `json_build_object('type', '${type}', 'subType', 'General', 'message', coalesce(v.message, ''))`;

// No parameters, so that statements with this part stay the same and are prepared once.
const PAYLOAD = sql.raw(`json_strip_nulls(json_build_object(
  'type', 'email.' || v.type,
  'created_at', ${iso("v.created_at")},
  'data', json_build_object(
    'created_at', ${iso("e.created_at")},
    'email_id', e.id,
    'from', e."from",
    'to', case when v.recipient is null then to_json(e."to") else json_build_array(v.recipient) end,
    'subject', e.subject,
    'tags', coalesce((select jsonb_object_agg(tag ->> 'name', tag ->> 'value')
      from jsonb_array_elements(e.tags) tag), '{}'),
    'message_id', e.message_id,
    'bounce', case v.type when 'bounced' then ${bounce("Permanent")}
      when 'delivery_delayed' then ${bounce("Temporary")} end,
    'open', case when v.type = 'opened' then ${visit("")} end,
    'click', case when v.type = 'clicked' then ${visit("'link', v.link,")} end,
    'failed', case when v.type = 'failed' then json_build_object('reason', coalesce(v.reason, '')) end,
    'suppressed', case when v.type = 'suppressed'
      then json_build_object('message', v.reason, 'type', ${SUPPRESSION_TYPE}) end)))`);

/**
 * Publishes `email.complained` to the company's webhooks, in the transaction that records the complaint.
 * Complaints aren't in the email's history, so the payload is built here.
 *
 * @param recipient who complained; null if the provider didn't say
 */
export async function publishComplaint(
  db: Db,
  email: Email,
  recipient: string | null,
): Promise<void> {
  const { id, companyId, from, subject, tags, messageId, isTest } = email;
  const ctx = createContext(db, companyId, { kind: "system", task: "take_complaint" });
  await publishEvent({ ...ctx, isTest }, "email.complained", {
    created_at: new Date(email.createdAt).toISOString(),
    email_id: id,
    from,
    to: recipient === null ? [] : [recipient],
    subject,
    tags: Object.fromEntries(tags.map(({ name, value }) => [name, value])),
    ...(messageId !== null && { message_id: messageId }),
  });
}

/** An event of an email, or what happened to a recipient of a message. */
export type HistoryEntry = {
  /** Unique among the entries. */
  key: string;
  /** The type of an event, `delayed`, or the final state of a recipient. */
  type: string;
  recipient: string | null;
  dsn: string | null;
  reply: string | null;
  /** How the connection was encrypted (`formatTls`). */
  tls: string | null;
  createdAt: string;
};

/** The history of an email or a message, oldest first. */
export function readEmailHistory(db: Db, id: string): Promise<HistoryEntry[]> {
  return db.execute<HistoryEntry>(sql`
    select 'event ' || id as key, type::text as type, recipient, dsn, coalesce(message, reason) as reply, tls,
      created_at as "createdAt"
    from email_events where email_id = ${id}::uuid
    union all
    select 'delay ' || id, 'delayed', recipient, dsn, reply, tls, created_at
    from message_delays where message_id = ${id}::uuid
    union all
    select 'recipient ' || id || state, state::text, recipient, dsn, reply, tls, coalesce(settled_at, created_at)
    from message_recipients where message_id = ${id}::uuid
    order by "createdAt", key`);
}

/** The types in `emails.event_types`: all event types, and complaints, which aren't stored as events. */
export type CountedEventType = (typeof emailEventType.enumValues)[number] | "complained";

const COMPLAINED_BIT = 1 << 30;

/** The sign of `emails.event_types` of test emails: the metrics' index has no `is_test`. */
export const TEST_BIT = 1 << 31;

/** The bit of a type in `emails.event_types`: its position in the enum, which is append-only. */
export const eventBit = (type: CountedEventType): number =>
  type === "complained" ? COMPLAINED_BIT : 1 << emailEventType.enumValues.indexOf(type);

/** The bit set of several types. */
export const eventBits = (types: CountedEventType[]): number =>
  types.reduce((bits, type) => bits | eventBit(type), 0);

/** `eventBit` in SQL, for an expression of type `email_event_type`. */
export const eventBitSql = (type: SQL): SQL =>
  sql`(1 << array_position(enum_range(null::email_event_type), ${type}) - 1)`;

/** The outcome of an email (`EMAIL_OUTCOMES`) in SQL, for its `event_types`. The first match wins. */
export function outcomeOf(types: SQL): SQL {
  const has = (...any: CountedEventType[]) =>
    sql`${types} & ${sql.raw(String(eventBits(any)))} <> 0`;
  return sql`case
    when ${has("failed", "bounced")} then 'failed'
    when ${has("delivered", "opened", "clicked", "complained")} then 'done'
    when ${has("canceled")} then 'not_sent'
    when ${has("sent", "delivery_delayed", "queued")} then 'waiting'
    when ${has("suppressed")} then 'not_sent'
    else 'waiting' end`;
}
