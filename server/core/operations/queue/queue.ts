import { randomUUID } from "node:crypto";

import { desc, isNotNull, sql, type SQL } from "drizzle-orm";

import { companies, queueHolds } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { DROPPED } from "#server/core/operations/ledger/audit-mail.ts";
import { recordMessageOutcomes } from "#server/core/mail/outcomes/record-message-outcomes.ts";
import type { Operator } from "#server/core/operations/companies/operators.ts";
import { wakeMessages } from "#server/core/sending/messages/messages.ts";
import { LEASE_SECONDS, type LeasedTable } from "#server/core/sending/outbox/email-leases.ts";
import type { QueueDepth } from "#server/core/sending/outbox/queue-depth.ts";
import { recordOutcomes } from "#server/core/sending/outbox/record-outcomes.ts";
import { wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { inTransaction } from "#server/core/shared/context.ts";
import type { Sort } from "#server/core/shared/paging/pages.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import {
  auditContext,
  isOnHold,
  matchesSubject,
  readSubject,
  rowCompanyId,
  type Subject,
} from "./holds.ts";

/** The queue of one destination or company. Counts recipients. */
export type Waiting = {
  subject: string;
  name: string;
  waiting: number;
  /** Due and not being delivered. */
  due: number;
  inFlight: number;
  /** Failed at least once. */
  delayed: number;
  /** Parked by a hold. */
  parked: number;
  /** When the oldest became due; null if none is due. */
  oldestDueAt: string | null;
  nextAttemptAt: string | null;
  /** The last reply to a delayed recipient. */
  lastReply: LastReply | null;
};

export type LastReply = { dsn: string | null; text: string; destination: string };

type Hold = Pick<
  typeof queueHolds.$inferSelect,
  "kind" | "subject" | "reason" | "heldBy" | "createdAt"
> & {
  name: string;
  /** Whether the hold comes from the company's suspension; restoring the company releases the mail. */
  isSuspension: boolean;
};

export type QueueOverview = {
  depth: QueueDepth & { inFlight: number; delayed: number; parked: number };
  destinations: Waiting[];
  companies: Waiting[];
  holds: Hold[];
};

const SHOWN_MAX = 50;

// The query reads the whole queue.
const CACHE_TTL_MS = 4_000;

type QueueSort = Sort<"waiting" | "name" | "next">;

const LARGEST_FIRST: QueueSort = { by: "waiting", direction: "descending" };
const ORDERS = 6;

const cache = new PromiseCache<QueueOverview>({ max: ORDERS, ttlMs: CACHE_TTL_MS });

/** The first 50 destinations and companies of the queue. Cached for four seconds. */
export const getQueueOverview = (db: Db, sort = LARGEST_FIRST): Promise<QueueOverview> =>
  cache.get(`${sort.by} ${sort.direction}`, () => readOverview(db, sort));

/** Call it after changes that should show at once. */
export function clearOverviewCache(): void {
  cache.clear();
}

type Group = Omit<Waiting, "subject" | "name"> & {
  of: "destination" | "company" | "all";
  subject: string | null;
  name: string | null;
  oldestDueSeconds: number | null;
};

async function readOverview(db: Db, sort: QueueSort): Promise<QueueOverview> {
  const [groups, holds] = await Promise.all([readGroups(db, sort), listHolds(db)]);
  const all = groups.find((group) => group.of === "all")!;
  const { waiting, due, oldestDueSeconds, inFlight, delayed, parked } = all;
  return {
    depth: { waiting, due, oldestDueSeconds, inFlight, delayed, parked },
    destinations: toWaiting(groups, "destination"),
    companies: toWaiting(groups, "company"),
    holds,
  };
}

const toWaiting = (groups: Group[], of: "destination" | "company"): Waiting[] =>
  groups
    .filter((group) => group.of === of)
    .map((group) => ({ ...group, subject: group.subject!, name: group.name ?? group.subject! }));

/** One row per queued recipient. Messages are read in two parts to use the partial indexes, since most are done. */
const QUEUED_ROWS = sql`
  select 'o' as queue, id, ${rowCompanyId("outbox")} as company_id, destination, attempt, next_attempt_at,
    lease_until from outbox q
  union all
  select 'm', id, ${rowCompanyId("message_recipients")}, destination, attempt, next_attempt_at, lease_until
  from message_recipients q where state = 'queued' and lease_until is null
  union all
  select 'm', id, ${rowCompanyId("message_recipients")}, destination, attempt, next_attempt_at, lease_until
  from message_recipients q where lease_until is not null`;

const KEYS = {
  waiting: sql`waiting`,
  name: sql`lower(name)`,
  next: sql`"nextAttemptAt"`,
};

const orderBy = ({ by, direction }: QueueSort) =>
  sql`${KEYS[by]} ${direction === "ascending" ? sql`asc` : sql`desc`} nulls last, subject`;

/** Computes the sums by destination, by company and overall in one pass. */
function readGroups(db: Db, sort: QueueSort): Promise<Group[]> {
  const isDue = sql`next_attempt_at <= statement_timestamp() and lease_until is null`;
  const most = (of: string) => sql`
    (select * from summed where "of" = ${of} and subject is not null
      order by ${orderBy(sort)} limit ${SHOWN_MAX})`;
  return db.execute<Group>(sql`
    with summed as materialized (
      select case grouping(destination, company_id) when 1 then 'destination' when 2 then 'company'
          else 'all' end as "of",
        coalesce(destination, company_id::text) as subject,
        coalesce(destination, (select c.name from companies c where c.id = company_id)) as name,
        count(*)::int as waiting,
        count(*) filter (where ${isDue})::int as due,
        count(*) filter (where lease_until is not null)::int as "inFlight",
        count(*) filter (where attempt > 0)::int as delayed,
        count(*) filter (where next_attempt_at = 'infinity')::int as parked,
        min(next_attempt_at) filter (where ${isDue}) as "oldestDueAt",
        min(next_attempt_at) filter (where next_attempt_at > statement_timestamp()
          and next_attempt_at < 'infinity') as "nextAttemptAt",
        max(id) filter (where attempt > 0 and queue = 'o') as delayed_email,
        max(id) filter (where attempt > 0 and queue = 'm') as delayed_message
      from (${QUEUED_ROWS}) q group by grouping sets ((destination), (company_id), ())
    ), shown as (
      ${most("destination")} union all ${most("company")}
      union all (select * from summed where "of" = 'all')
    )
    select "of", subject, name, waiting, due, "inFlight", delayed, parked, "oldestDueAt", "nextAttemptAt",
      extract(epoch from statement_timestamp() - "oldestDueAt")::float8 as "oldestDueSeconds",
      coalesce(
        (select jsonb_build_object('dsn', v.dsn, 'text', v.message, 'destination', o.destination) from outbox o, lateral (
          select dsn, message from email_events v where v.email_id = o.email_id
            and v.type = 'delivery_delayed' and v.recipient = o.recipient order by v.id desc limit 1) v
          where o.id = delayed_email),
        (select jsonb_build_object('dsn', r.dsn, 'text', r.reply, 'destination', r.destination) from message_recipients r
          where r.id = delayed_message and r.reply is not null)) as "lastReply"
    from shown order by ${orderBy(sort)}`);
}

/** Operators' holds and suspended companies, newest first. */
async function listHolds(db: Db): Promise<Hold[]> {
  const [rows, suspended] = await Promise.all([
    db
      .select({
        hold: queueHolds,
        companyName: sql<
          string | null
        >`(select c.name from companies c where c.id::text = ${queueHolds.subject})`,
      })
      .from(queueHolds)
      .orderBy(desc(queueHolds.createdAt)),
    db
      .select({ subject: companies.id, name: companies.name, createdAt: companies.suspendedAt })
      .from(companies)
      .where(isNotNull(companies.suspendedAt))
      .orderBy(desc(companies.suspendedAt)),
  ]);
  return [
    ...rows.map(({ hold, companyName }) => ({
      ...hold,
      name: companyName ?? hold.subject,
      isSuspension: false,
    })),
    ...suspended.map(({ createdAt, ...company }) => ({
      kind: "company" as const,
      ...company,
      createdAt: createdAt!,
      reason: "The company is suspended",
      heldBy: "",
      isSuspension: true,
    })),
  ];
}

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
  lastReply: LastReply | null;
};

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
        select jsonb_build_object('dsn', v.dsn, 'text', v.message, 'destination', row.destination) from email_events v
        where v.email_id = row.parent and v.type = 'delivery_delayed' and v.recipient = row.recipient
        order by v.id desc limit 1)
      else (select jsonb_build_object('dsn', r.dsn, 'text', r.reply, 'destination', r.destination) from message_recipients r
        where r.id = row.id and r.reply is not null) end as "lastReply"
    from row join companies c on c.id = row.company_id
    order by row.next_attempt_at, row.id limit ${SHOWN_MAX}`);
}

/**
 * Makes queued mail due now, and ends the suspensions of its destinations: one message is tried first. Doesn't affect mail on hold, deliveries in progress, or the deadline for giving up.
 *
 * @returns the number of recipients that became due
 * @throws Refusal `invalid`, `not_found`
 */
export async function retryNow(operator: Operator, asked: Subject): Promise<number> {
  const { name, ...subject } = await readSubject(operator.db, asked);
  const ctx = await auditContext(operator, subject);
  const count = await inTransaction(ctx, async (ctx) => {
    const emails = await makeDue(ctx.db, "outbox", subject);
    const messages = await makeDue(ctx.db, "message_recipients", subject);
    const total = emails + messages;
    if (total > 0)
      await recordAudit(ctx, "queue.retried", { kind: subject.kind, name, recipients: total });
    return total;
  });
  wakePump(operator.db);
  wakeMessages(operator.db);
  return count;
}

async function makeDue(db: Db, queue: LeasedTable, { kind, subject }: Subject): Promise<number> {
  const isQueued: SQL = queue === "outbox" ? sql`true` : sql`q.state = 'queued'`;
  const wanted = kind === "company" ? sql`${subject}::uuid` : sql`${subject}`;
  const rows = await db.execute(sql`
    with waiting as materialized (
      select id from ${sql.identifier(queue)} q
      where lease_until is null and next_attempt_at > clock_timestamp()
        and next_attempt_at < 'infinity' and ${isQueued} and ${matchesSubject(queue, wanted, kind)}
      order by id for update skip locked
    )
    update ${sql.identifier(queue)}
    set next_attempt_at = clock_timestamp(), retry_asked_at = clock_timestamp()
    where id = any(array(select id from waiting)) returning id`);
  return rows.length;
}

// Per call, so that the caller can show progress.
const BATCH = 2_000;

/**
 * Drops the queued mail of a subject that is on hold: emails get a `failed` event for each recipient, which is
 * published to webhooks; messages bounce. At most 2,000 recipients of each queue per call.
 *
 * @returns the number of dropped recipients, and whether all are done
 * @throws Refusal `not_allowed` if the subject isn't on hold
 */
export async function dropWaiting(
  operator: Operator,
  asked: Subject,
): Promise<{ dropped: number; isDone: boolean }> {
  const { name, ...subject } = await readSubject(operator.db, asked);
  const { db } = operator;
  if (!(await isOnHold(db, subject)))
    throw new Refusal("not_allowed", `${name} is not on hold. Only mail on hold can be dropped`);
  const owner = randomUUID();
  const emails = await leaseWaiting(db, owner, { queue: "outbox", subject });
  await recordOutcomes(
    db,
    owner,
    emails.map((row) => ({ ...row, emailId: row.of, result: "failed", reason: DROPPED })),
  );
  const messages = await leaseWaiting(db, owner, { queue: "message_recipients", subject });
  await recordMessageOutcomes(
    db,
    { owner, hostname: config().hostname },
    messages.map((row) => ({
      ...row,
      messageId: row.of,
      result: "bounced",
      delivery: "relayed",
      // Rejected by the server's policy (RFC 3463, 3.8).
      dsn: "5.7.1",
      message: DROPPED,
      suppress: false,
    })),
  );
  const dropped = emails.length + messages.length;
  const ctx = await auditContext(operator, subject);
  if (dropped > 0)
    await recordAudit(ctx, "queue.dropped", { kind: subject.kind, name, recipients: dropped });
  return { dropped, isDone: emails.length < BATCH && messages.length < BATCH };
}

type LeasedRow = { rowId: string; of: string; recipient: string; attempt: number };

/** Leases rows as a worker does, because only the lease's owner can record outcomes. */
function leaseWaiting(
  db: Db,
  owner: string,
  { queue, subject }: { queue: LeasedTable; subject: Subject },
) {
  const isQueued: SQL = queue === "outbox" ? sql`true` : sql`q.state = 'queued'`;
  const parent = sql.identifier(queue === "outbox" ? "email_id" : "message_id");
  const wanted =
    subject.kind === "company" ? sql`${subject.subject}::uuid` : sql`${subject.subject}`;
  return db.execute<LeasedRow>(sql`
    with waiting as materialized (
      select id from ${sql.identifier(queue)} q
      where lease_until is null and ${isQueued} and ${matchesSubject(queue, wanted, subject.kind)}
      limit ${BATCH} for update skip locked
    )
    update ${sql.identifier(queue)} set lease_owner = ${owner}::uuid,
      lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where id = any(array(select id from waiting))
    returning id::text as "rowId", ${parent} as of, recipient, attempt`);
}
