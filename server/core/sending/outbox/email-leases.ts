import { type SQL, sql } from "drizzle-orm";

import type { AddressHeaders } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { PLANNED_EACH_TIME } from "#server/db/preparing.ts";

import { HEAVY_BYTES, PRIORITIES } from "./queue-rows.ts";

/** Survives a slow renewal; a dead worker's mail moves on within a minute. */
export const LEASE_SECONDS = 30;

/** How many octets of light and heavy emails can be leased. */
export type ByteBudget = { light: number; heavy: number };

/** A recipient leased to the caller. */
export type LeasedRecipient = {
  /** Id of the outbox row: a bigint as text. */
  rowId: string;
  recipient: string;
  destination: string;
  /** Previous temporary failures. */
  attempt: number;
  /** When an admin last asked to retry it now. */
  retryAskedAt?: string | null;
};

/** An email with its leased recipients and everything its message is made of. */
export type LeasedEmail = {
  id: string;
  companyId: string;
  /** Null if the sending domain was deleted. */
  domainId: string | null;
  messageId: string | null;
  subject: string;
  /** When it was queued: the message's Date, the same in every attempt. */
  sentAt: string | null;
  openTracking: boolean;
  clickTracking: boolean;
  /** Value of its tag `campaign`. */
  campaign: string | null;
  /** Approximate octets of bodies and attachments. */
  size: number;
  /** Attachments are read when the message is composed (queue-rows.ts). */
  hasAttachments: boolean;
  /** Accepted together with others. */
  isBatch: boolean;
  isTest: boolean;
  /** Submitted over SMTP: the stored message is loaded when it is sent. */
  hasSource: boolean;
  /** Null if the body is gone; retention prevents that while a recipient waits. */
  body: {
    addressHeaders: AddressHeaders;
    html: string | null;
    text: string | null;
    headers: Record<string, string>;
  } | null;
  recipients: LeasedRecipient[];
};

type LeasedRow = Omit<LeasedEmail, "body"> & {
  lastTurn: string | null;
  addressHeaders: AddressHeaders | null;
  html: string | null;
  text: string | null;
  headers: Record<string, string> | null;
};

/** Companies that share one lease. If there are more, the next lease continues after the last of them. */
const TURNS_MAX = 64;

const FIRST = "00000000-0000-0000-0000-000000000000";

/** The company after which the next lease begins; each lease moves it. */
export type Turn = { after: string };

export const firstTurn = (): Turn => ({ after: FIRST });

/** A destination with so much in flight that its batches and heavy emails wait. */
export type BusyDestination = {
  destination: string;
  /** The companies whose single emails wait, too. */
  companies: string[] | "all";
};

type LeaseRequest = {
  owner: string;
  limit: number;
  room: ByteBudget;
  busy?: BusyDestination[];
  readsAll?: boolean;
  turn?: Turn;
};

/** Rows that a lease with busy destinations reads of each company and priority, unless it reads all. */
export const READ_MAX = 2_000;

/**
 * Leases due recipients to `owner` in one statement: expired leases first, then an equal share for each company, by
 * priority, and the rest of the limit to those due longest. Skips rows that another worker is leasing.
 *
 * Light and heavy emails each stay within their budget, so neither kind blocks the other; the rest stays due.
 *
 * @param limit maximum number of recipients
 * @param busy what to skip
 * @param readsAll finds due emails behind any number of skipped ones; otherwise behind `READ_MAX`, which is faster
 * @param turn shared by the leases of one pump
 */
export async function leaseDueEmails(
  db: Db,
  { owner, limit, room, busy = [], readsAll = true, turn = firstTurn() }: LeaseRequest,
): Promise<LeasedEmail[]> {
  const isWanted = sql`(destination, priority) not in (select destination, priority from skipped where company is null)
    and (destination, company_id) not in (select destination, company from skipped where company is not null)`;
  const isBounded = busy.length > 0 && !readsAll;
  // The first row that isn't read.
  const cut = sql`offset ${READ_MAX} limit ${isBounded ? 1 : 0}`;
  // With `=`, the planner may read the rows of all companies from outbox_due_idx. With row comparisons, it uses
  // outbox_turns_idx, which begins with the company and the priority.
  const ofCompanyAndPriority = sql`lease_until is null
    and (company_id, priority) >= (turn.company_id, turn.priority)
    and (company_id, priority) <= (turn.company_id, turn.priority)`;
  const byDueTime = sql`order by company_id, priority, next_attempt_at, id`;
  // `= any(array(…))` instead of joins: the planner's statistics for this table may be hours old, and a join
  // planned for an empty outbox compares every row with every row of a full one. statement_timestamp()
  // instead of clock_timestamp(): only a stable function can bound an index scan.
  const rows = await db.execute<LeasedRow>(sql`
    ${sql.raw(PLANNED_EACH_TIME)}
    with recursive skipped as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(busy.flatMap(toSkipped))}::jsonb)
        as row(destination text, priority smallint, company uuid)
    ), abandoned as materialized (
      select id, email_id, '-infinity'::timestamptz as next_attempt_at from outbox
      where lease_until < statement_timestamp()
        and ${isWanted}
      order by lease_until limit ${limit}
      for update skip locked
    ), turns as (
      -- One probe of the index for each company, however many rows it has.
      (select company_id, 1 as nth from outbox
        where lease_until is null and company_id > ${turn.after}::uuid order by company_id limit 1)
      union all
      select (select o.company_id from outbox o
          where o.lease_until is null and o.company_id > turns.company_id
          order by o.company_id limit 1), nth + 1
      from turns where company_id is not null and nth < ${TURNS_MAX}
    ), companies as materialized (
      select company_id, greatest(1, ${limit} / count(*) over ()) as share
      from turns where company_id is not null
    ), shares as materialized (
      select fair.*
      from (select * from companies cross join (values (0::smallint), (1), (2)) as class(priority)) as turn
      left join lateral (
        select next_attempt_at, id from outbox where ${ofCompanyAndPriority} ${byDueTime} ${cut}) as last on true
      cross join lateral (
        select id, email_id, next_attempt_at, company_id, priority from outbox
        where ${ofCompanyAndPriority} and next_attempt_at <= statement_timestamp()
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
      select next_attempt_at, id from outbox where lease_until is null order by next_attempt_at, id ${cut}
    ), rest as materialized (
      -- If every company got all it has due, there is no rest; with busy destinations, looking would read their rows again.
      select id, email_id, next_attempt_at from outbox
      where lease_until is null and next_attempt_at <= statement_timestamp()
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
        select id, email_id, next_attempt_at, 0 as part, 0 as place from abandoned
        union all
        select id, email_id, next_attempt_at, 1, row_number() over (
          partition by company_id order by priority, next_attempt_at, id) from shares
        union all
        select id, email_id, next_attempt_at, 2, 0 from rest
      ) as found
      order by place_in_all limit ${limit}
    ), weighed as (
      select id, email_id, place_in_all,
        (select size from emails where emails.id = picked.email_id) as size,
        row_number() over (partition by email_id order by place_in_all) as nth
      from picked
    ), fitting as materialized (
      select id, size > ${HEAVY_BYTES} as heavy, place_in_all,
        sum(case nth when 1 then size else 0 end)
          over (partition by size > ${HEAVY_BYTES} order by place_in_all) as total
      from weighed
    ), leased as (
      update outbox set
        lease_until = statement_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
        lease_owner = ${owner}::uuid
      where id = any(array(
        select id from fitting
        where total <= case when heavy then ${room.heavy}::bigint else ${room.light}::bigint end))
      returning id, email_id, recipient, destination, attempt, priority, retry_asked_at
    ), by_email as (
      select email_id, min(place_in_all) as place, min(priority) = ${PRIORITIES.batch} as "isBatch",
        jsonb_agg(jsonb_build_object('rowId', id::text, 'recipient', recipient,
          'destination', destination, 'attempt', attempt, 'retryAskedAt', retry_asked_at) order by id) as recipients
      from leased join fitting using (id) group by email_id
    )
    select e.id, e.company_id as "companyId",
      (select id from domains where domains.id = e.domain_id) as "domainId",
      e.message_id as "messageId", e.subject, e.sent_at as "sentAt", by_email.recipients,
      e.open_tracking as "openTracking", e.click_tracking as "clickTracking", e.size,
      by_email."isBatch", e.is_test as "isTest",
      case when e.tags <> '[]'
        then jsonb_path_query_first(e.tags, '$[*] ? (@.name == "campaign").value') #>> '{}' end as campaign,
      -- A subquery with a limit is always answered from the index, email by email.
      coalesce((select true from email_attachments a where a.email_id = e.id limit 1), false)
        as "hasAttachments",
      b.address_headers as "addressHeaders", b.html, b.text, b.headers,
      b.source is not null as "hasSource",
      (select max(company_id::text) from companies having count(*) = ${TURNS_MAX}) as "lastTurn"
    from by_email
    join emails e on e.id = by_email.email_id
    left join email_bodies b on b.email_id = e.id
    order by by_email.place, e.id`);
  turn.after = rows[0]?.lastTurn ?? FIRST;
  return rows.map(({ addressHeaders, html, text, headers, ...email }) => ({
    ...email,
    body: addressHeaders && { addressHeaders, html, text, headers: headers ?? {} },
  }));
}

/** The rows of `skipped` for a destination. */
function toSkipped({ destination, companies }: BusyDestination) {
  const priorities = [PRIORITIES.batch, PRIORITIES.heavy];
  if (companies === "all") priorities.push(PRIORITIES.single);
  const singles = companies === "all" ? [] : companies.map((company) => ({ destination, company }));
  return [...priorities.map((priority) => ({ destination, priority })), ...singles];
}

/** A place in the order of the rows; the end if there is none. */
const upTo = (nextAttemptAt: SQL, id: SQL) =>
  sql`(coalesce(${nextAttemptAt}, 'infinity'), coalesce(${id}, ${sql.raw(String(2n ** 63n - 1n))}))`;

/** Tables with leased rows. */
export type LeasedTable = "outbox" | "message_recipients";

/** How long until the next row is due, by its plan or because its lease expires; null if none is planned. Rows on hold aren't. */
export async function msUntilDue(db: Db, queue: LeasedTable): Promise<number | null> {
  const table = sql.identifier(queue);
  const isOpen = queue === "outbox" ? sql`` : sql`and state = 'queued'`;
  const [row] = await db.execute<{ ms: number | null }>(sql`
    select (extract(epoch from least(
      (select min(next_attempt_at) from ${table}
        where lease_until is null and next_attempt_at < 'infinity' ${isOpen}),
      (select min(lease_until) from ${table} where lease_until is not null)
    ) - statement_timestamp()) * 1000)::float8 as ms`);
  return row!.ms;
}

/**
 * Extends the leases of `owner`. Returns the ids of the renewed rows: a missing row has been recorded, is
 * being recorded, or belongs to another worker.
 */
export async function renewLeases(
  db: Db,
  owner: string,
  rowIds: string[],
  queue: LeasedTable = "outbox",
): Promise<string[]> {
  if (rowIds.length === 0) return [];
  const table = sql.identifier(queue);
  // Skip locked rows: waiting for the batch of outcomes that holds them could deadlock.
  const rows = await db.execute<{ id: string }>(sql`
    with held as materialized (
      select id from ${table}
      where id = any(array(select value::bigint from jsonb_array_elements_text(${JSON.stringify(rowIds)}::jsonb)))
        and lease_owner = ${owner}::uuid
      for no key update skip locked
    )
    update ${table} set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    from held where ${table}.id = held.id
    returning ${table}.id::text as id`);
  return rows.map(({ id }) => id);
}

/** Releases rows that `owner` won't deliver; they are due again at once. */
export async function releaseLeases(
  db: Db,
  owner: string,
  rowIds: string[],
  queue: LeasedTable = "outbox",
): Promise<void> {
  if (rowIds.length === 0) return;
  await db.execute(sql`
    update ${sql.identifier(queue)} set lease_until = null, lease_owner = null
    where id = any(array(select value::bigint from jsonb_array_elements_text(${JSON.stringify(rowIds)}::jsonb)))
      and lease_owner = ${owner}::uuid`);
}
