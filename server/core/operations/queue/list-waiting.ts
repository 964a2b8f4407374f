import { type SQL, sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import type { Subject } from "./holds.ts";

/** A queued recipient with the result of its last attempt. */
export type WaitingRecipient = {
  id: string;
  /** An email of the API, or a message of a mailbox or group. */
  queue: "email" | "message";
  parentId: string;
  companyId: string;
  companyName: string;
  recipient: string;
  destination: string;
  sender: string;
  attempt: number;
  /** Null while on hold or being delivered. */
  nextAttemptAt: string | null;
  isInFlight: boolean;
  isParked: boolean;
  queuedAt: string;
  lastReply: { dsn: string | null; text: string } | null;
};

const SHOWN_MAX = 50;

/** The first queued recipients of a destination or company, in the order of their next attempt. */
export function listWaiting(db: Db, { kind, subject }: Subject): Promise<WaitingRecipient[]> {
  const of = (companyId: SQL): SQL =>
    kind === "destination" ? sql`q.destination = ${subject}` : sql`${companyId} = ${subject}::uuid`;
  return db.execute<WaitingRecipient>(sql`
    with row as materialized (
      (select 'email' as queue, q.id, q.email_id as parent, p.company_id, p."from" as sender,
        q.recipient, q.destination, q.attempt, q.next_attempt_at, q.lease_until, q.created_at
      from outbox q join emails p on p.id = q.email_id where ${of(sql`p.company_id`)}
      order by q.next_attempt_at, q.id limit ${SHOWN_MAX})
      union all
      (select 'message', q.id, q.message_id, p.company_id, p.sender,
        q.recipient, q.destination, q.attempt, q.next_attempt_at, q.lease_until, q.created_at
      from message_recipients q join messages p on p.id = q.message_id
      where q.state = 'queued' and ${of(sql`p.company_id`)}
      order by q.next_attempt_at, q.id limit ${SHOWN_MAX})
    )
    select row.queue || '-' || row.id as id, row.queue, row.parent as "parentId",
      row.company_id as "companyId", c.name as "companyName", row.recipient, row.destination,
      row.sender, row.attempt,
      case when row.lease_until is null and row.next_attempt_at < 'infinity' then row.next_attempt_at end
        as "nextAttemptAt",
      row.lease_until is not null as "isInFlight", row.next_attempt_at = 'infinity' as "isParked",
      row.created_at as "queuedAt",
      case row.queue when 'email' then (
        select jsonb_build_object('dsn', v.dsn, 'text', v.message) from email_events v
        where v.email_id = row.parent and v.type = 'delivery_delayed' and v.recipient = row.recipient
        order by v.id desc limit 1)
      else (select jsonb_build_object('dsn', r.dsn, 'text', r.reply) from message_recipients r
        where r.id = row.id and r.reply is not null) end as "lastReply"
    from row join companies c on c.id = row.company_id
    order by row.next_attempt_at, row.id limit ${SHOWN_MAX}`);
}
