import { type SQL, sql } from "drizzle-orm";

import {
  API_ORIGINS,
  type Suppressed,
  SUPPRESSION_REASONS,
} from "#server/core/sending/suppressions/find-suppressed.ts";
import { LOCK_WEBHOOKS } from "#server/core/webhooks/events/publish-event.ts";

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
