import { desc, sql } from "drizzle-orm";

import { queueHolds } from "#drizzle/schema/index.ts";
import { queueDepth, type QueueDepth } from "#server/core/outbox/queue-depth.ts";
import type { Db } from "#server/db/client.ts";

/** What waits of one destination or company, in recipients. */
export type Waiting = {
  subject: string;
  name: string;
  waiting: number;
  /** Due, and nobody delivers it at this moment. */
  due: number;
  inFlight: number;
  /** Have failed at least once and are tried again. */
  delayed: number;
  /** Put aside by a hold. */
  parked: number;
  /** Since when the oldest of them is due; null when none is. */
  oldestDueAt: string | null;
  /** When the next of them is tried. */
  nextAttemptAt: string | null;
  /** What the server last said to one that is delayed. */
  lastReply: { dsn: string | null; text: string } | null;
};

type Hold = typeof queueHolds.$inferSelect;

export type QueueOverview = {
  depth: QueueDepth & { inFlight: number; delayed: number; parked: number };
  destinations: Waiting[];
  companies: Waiting[];
  holds: (Hold & { name: string })[];
};

const SHOWN_MAX = 50;
/** How long a look is good for: it reads the whole queue. */
const FRESH_MS = 4_000;

let kept: { overview: Promise<QueueOverview>; at: number } | undefined;

/** What waits for delivery, by destination and by company, the most first; at most four seconds old. */
export function queueOverview(db: Db): Promise<QueueOverview> {
  const now = performance.now();
  if (kept && now - kept.at < FRESH_MS) return kept.overview;
  const reading = { overview: readOverview(db), at: now };
  kept = reading;
  reading.overview.catch(() => forgetOverview());
  return reading.overview;
}

/** Makes the next look a new one: after a change that one wants to see. */
export function forgetOverview(): void {
  kept = undefined;
}

async function readOverview(db: Db): Promise<QueueOverview> {
  const [depth, destinations, companies, holds] = await Promise.all([
    queueDepth(db),
    waitingBy(db, "destination"),
    waitingBy(db, "company"),
    listHolds(db),
  ]);
  // Of the companies: few, and each row of the queue is of one.
  const [row] = await db.execute<{ inFlight: number; delayed: number; parked: number }>(sql`
    select coalesce(sum(in_flight), 0)::int as "inFlight", coalesce(sum(delayed), 0)::int as delayed,
      coalesce(sum(parked), 0)::int as parked
    from (${perRow}) q, lateral (select (lease_until is not null)::int as in_flight,
      (attempt > 0)::int as delayed, (next_attempt_at = 'infinity')::int as parked) f`);
  return { depth: { ...depth, ...row! }, destinations, companies, holds };
}

/** One row for each recipient that waits. */
const perRow = sql`
  select 'o' as queue, id, email_id as parent, recipient, destination, attempt, next_attempt_at, lease_until
  from outbox
  union all
  select 'm', id, message_id, recipient, destination, attempt, next_attempt_at, lease_until
  from message_recipients where state = 'queued'`;

function waitingBy(db: Db, by: "destination" | "company") {
  const key =
    by === "destination"
      ? sql`destination`
      : sql`coalesce((select company_id from emails e where e.id = q.parent and q.queue = 'o'),
          (select company_id from messages m where m.id = q.parent and q.queue = 'm'))::text`;
  return db.execute<Waiting>(sql`
    with row as materialized (select q.*, ${key} as subject from (${perRow}) q),
    summed as materialized (
      select subject, count(*)::int as waiting,
        count(*) filter (where next_attempt_at <= statement_timestamp() and lease_until is null)::int as due,
        count(*) filter (where lease_until is not null)::int as "inFlight",
        count(*) filter (where attempt > 0)::int as delayed,
        count(*) filter (where next_attempt_at = 'infinity')::int as parked,
        min(next_attempt_at) filter (where next_attempt_at <= statement_timestamp() and lease_until is null)
          as "oldestDueAt",
        min(next_attempt_at) filter (where next_attempt_at > statement_timestamp()
          and next_attempt_at < 'infinity') as "nextAttemptAt",
        max(id) filter (where attempt > 0 and queue = 'o') as delayed_email,
        max(id) filter (where attempt > 0 and queue = 'm') as delayed_message
      from row where subject is not null group by subject order by count(*) desc, subject limit ${SHOWN_MAX}
    )
    select s.*, ${by === "destination" ? sql`s.subject` : sql`coalesce((select name from companies c where c.id::text = s.subject), s.subject)`} as name,
      coalesce(
        (select jsonb_build_object('dsn', v.dsn, 'text', v.message) from outbox o, lateral (
          select dsn, message from email_events v where v.email_id = o.email_id
            and v.type = 'delivery_delayed' and v.recipient = o.recipient order by v.id desc limit 1) v
          where o.id = s.delayed_email),
        (select jsonb_build_object('dsn', r.dsn, 'text', r.reply) from message_recipients r
          where r.id = s.delayed_message and r.reply is not null)) as "lastReply"
    from summed s order by waiting desc, s.subject`);
}

async function listHolds(db: Db): Promise<QueueOverview["holds"]> {
  const rows = await db
    .select({
      hold: queueHolds,
      companyName: sql<
        string | null
      >`(select c.name from companies c where c.id::text = ${queueHolds.subject})`,
    })
    .from(queueHolds)
    .orderBy(desc(queueHolds.createdAt));
  return rows.map(({ hold, companyName }) => ({ ...hold, name: companyName ?? hold.subject }));
}
