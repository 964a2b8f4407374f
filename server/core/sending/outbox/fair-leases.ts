import { type SQL, sql } from "drizzle-orm";

import { HEAVY_BYTES, PRIORITIES } from "./queue-rows.ts";

/** How many octets of light and heavy emails can be leased. */
export type ByteBudget = { light: number; heavy: number };

/** Companies that share one lease. If there are more, the next lease continues after the last of them. */
const TURNS_MAX = 64;

const FIRST = "00000000-0000-0000-0000-000000000000";

/** The company after which the next lease begins; each lease moves it. */
export type Turn = { after: string };

export const firstTurn = (): Turn => ({ after: FIRST });

/** A destination with so much in flight that its batches and heavy emails wait. */
export type BusyDestination = {
  destination: string;
  /** The companies whose single emails wait, too. Messages count as single emails. */
  companies: string[] | "all";
};

/** A company with so much in flight that some of its mail waits. */
export type BusyCompany = { company: string; waiting: (keyof typeof PRIORITIES)[] };

export type LeaseRequest = {
  owner: string;
  limit: number;
  room: ByteBudget;
  busy?: BusyDestination[];
  busyCompanies?: BusyCompany[];
  readsAll?: boolean;
  turn?: Turn;
};

/** Rows that a lease with busy destinations reads of each company and priority, unless it reads all. */
export const READ_MAX = 2_000;

/** Rows of messages have no priority. */
const SINGLE = sql.raw(`${PRIORITIES.single}::smallint`);

const QUEUES = {
  outbox: {
    table: sql.raw("outbox"),
    item: sql.raw("email_id"),
    items: sql.raw("emails"),
    isFree: sql.raw("lease_until is null"),
    priority: sql.raw("priority"),
    priorities: sql.raw("(values (0::smallint), (1), (2))"),
    key: sql.raw("company_id, priority"),
    turnKey: sql.raw("turn.company_id, turn.priority"),
  },
  message_recipients: {
    table: sql.raw("message_recipients"),
    item: sql.raw("message_id"),
    items: sql.raw("messages"),
    isFree: sql.raw("state = 'queued' and lease_until is null"),
    priority: SINGLE,
    priorities: sql`(values (${SINGLE}))`,
    key: sql.raw("company_id"),
    turnKey: sql.raw("turn.company_id"),
  },
};

/**
 * The parts of a statement that leases due rows: first what the query `abandoned` finds, then an equal share for each company, by priority,
 * and the rest of the limit to those due longest. Skips rows that another worker is leasing.
 *
 * @returns `skipped`, the first query, recursive; `isWanted`, whether a row isn't skipped; `fitting`, the queries that come after `abandoned`,
 *   the last with `id` and `place_in_all` of what fits into the room; `lastTurn`, for `moveTurn`
 */
export function fairLease(
  queue: keyof typeof QUEUES,
  { limit, room, busy = [], busyCompanies = [], readsAll = true, turn = firstTurn() }: LeaseRequest,
): Record<"skipped" | "isWanted" | "fitting" | "lastTurn", SQL> {
  const { table, item, items, isFree, priority, priorities, key, turnKey } = QUEUES[queue];
  const ofBusyCompanies = sql`(select company, priority from skipped where destination is null)`;
  const isWanted = sql`(destination, ${priority}) not in (select destination, priority from skipped where company is null)
    and (destination, company_id) not in (select destination, company from skipped where priority is null)
    and (company_id, ${priority}) not in ${ofBusyCompanies}`;
  const skippedRows = [...busy.flatMap(toSkipped), ...busyCompanies.flatMap(toSkippedOfCompany)];
  const isBounded = skippedRows.length > 0 && !readsAll;
  // The first row that isn't read.
  const cut = sql`offset ${READ_MAX} limit ${isBounded ? 1 : 0}`;
  // With `=`, the planner may read the rows of all companies from the index of due rows. With `>=` and `<=`, it uses
  // the index of turns, which begins with the company.
  const ofTurn = sql`${isFree} and (${key}) >= (${turnKey}) and (${key}) <= (${turnKey})`;
  const byDueTime = sql`order by ${key}, next_attempt_at, id`;
  const skipped = sql`skipped as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(skippedRows)}::jsonb)
        as row(destination text, priority smallint, company uuid)
    )`;
  const fitting = sql`turns as (
      -- One probe of the index for each company, however many rows it has.
      (select company_id, 1 as nth from ${table}
        where ${isFree} and company_id > ${turn.after}::uuid order by company_id limit 1)
      union all
      select (select o.company_id from ${table} o
          where ${isFree} and o.company_id > turns.company_id
          order by o.company_id limit 1), nth + 1
      from turns where company_id is not null and nth < ${TURNS_MAX}
    ), companies as materialized (
      select company_id, greatest(1, ${limit} / count(*) over ()) as share
      from turns where company_id is not null
    ), shares as materialized (
      select fair.*, turn.company_id, turn.priority
      from (select * from companies cross join ${priorities} as class(priority)
        where (company_id, priority) not in ${ofBusyCompanies}) as turn
      left join lateral (
        select next_attempt_at, id from ${table} where ${ofTurn} ${byDueTime} ${cut}) as last on true
      cross join lateral (
        select id, ${item}, next_attempt_at from ${table}
        where ${ofTurn} and next_attempt_at <= statement_timestamp()
          and (next_attempt_at, id) < ${upTo(sql`last.next_attempt_at`, sql`last.id`)}
          and ${isWanted}
        ${byDueTime}
        limit case when turn.priority = ${PRIORITIES.heavy} and ${room.heavy}::bigint < ${HEAVY_BYTES} then 0
          else share end
        for update skip locked) fair
    ), unfinished as (
      select 1 from shares join companies using (company_id)
        group by company_id, priority, share having count(*) >= share
      union all select 1 from companies having count(*) >= ${TURNS_MAX}
    ), last as materialized (
      select next_attempt_at, id from ${table} where ${isFree} order by next_attempt_at, id ${cut}
    ), rest as materialized (
      -- If every company got all it has due, there is no rest; with busy destinations, looking would read their rows again.
      select id, ${item}, next_attempt_at from ${table}
      where ${isFree} and next_attempt_at <= statement_timestamp()
        and (next_attempt_at, id) < ${upTo(sql`(select next_attempt_at from last)`, sql`(select id from last)`)}
        and ${isWanted}
        and id not in (select id from shares)
      order by next_attempt_at, id
      limit case when exists (select from unfinished)
        then greatest(0, ${limit} - (select count(*) from shares)) else 0 end
      for update skip locked
    ), picked as materialized (
      select *, row_number() over (order by part, place, next_attempt_at, id) as place_in_all
      from (
        select id, ${item}, next_attempt_at, 0 as part, 0 as place from abandoned
        union all
        select id, ${item}, next_attempt_at, 1, row_number() over (
          partition by company_id order by priority, next_attempt_at, id) from shares
        union all
        select id, ${item}, next_attempt_at, 2, 0 from rest
      ) as found
      order by place_in_all limit ${limit}
    ), weighed as (
      select id, ${item}, place_in_all,
        (select size from ${items} where ${items}.id = picked.${item}) as size,
        row_number() over (partition by ${item} order by place_in_all) as nth
      from picked
    ), summed as (
      select id, size > ${HEAVY_BYTES} as heavy, place_in_all,
        sum(case nth when 1 then size else 0 end)
          over (partition by size > ${HEAVY_BYTES} order by place_in_all) as total
      from weighed
    ), fitting as materialized (
      select id, place_in_all from summed
      where total <= case when heavy then ${room.heavy}::bigint else ${room.light}::bigint end
    )`;
  const lastTurn = sql`(select max(company_id::text) from companies having count(*) = ${TURNS_MAX}) as "lastTurn"`;
  return { skipped, isWanted, fitting, lastTurn };
}

/** Whether a leased row had been abandoned before. */
export const isSuspect = sql.raw("id = any(array(select id from abandoned where was_abandoned))");

/** Moves the turn after a lease with these rows. */
export function moveTurn(turn: Turn | undefined, rows: { lastTurn: string | null }[]): void {
  if (turn) turn.after = rows[0]?.lastTurn ?? FIRST;
}

/** The rows of `skipped` for a destination. */
function toSkipped({ destination, companies }: BusyDestination) {
  const priorities = [PRIORITIES.batch, PRIORITIES.heavy];
  if (companies === "all") priorities.push(PRIORITIES.single);
  const singles = companies === "all" ? [] : companies.map((company) => ({ destination, company }));
  return [...priorities.map((priority) => ({ destination, priority })), ...singles];
}

/** The rows of `skipped` for a company. */
const toSkippedOfCompany = ({ company, waiting }: BusyCompany) =>
  waiting.map((name) => ({ company, priority: PRIORITIES[name] }));

/** A place in the order of the rows; the end if there is none. */
const upTo = (nextAttemptAt: SQL, id: SQL) =>
  sql`(coalesce(${nextAttemptAt}, 'infinity'), coalesce(${id}, ${sql.raw(String(2n ** 63n - 1n))}))`;
