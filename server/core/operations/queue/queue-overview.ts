import { desc, isNotNull, sql } from "drizzle-orm";

import { companies, queueHolds } from "#drizzle/schema/index.ts";
import type { QueueDepth } from "#server/core/sending/outbox/queue-depth.ts";
import { PromiseCache } from "#server/core/shared/promise-cache.ts";
import type { Sort } from "#server/core/shared/paging/sorted.ts";
import type { Db } from "#server/db/client.ts";

import { rowCompanyId } from "./internal/match-subject.ts";

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
  lastReply: { dsn: string | null; text: string } | null;
};

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
export function getQueueOverview(db: Db, sort = LARGEST_FIRST): Promise<QueueOverview> {
  return cache.get(`${sort.by} ${sort.direction}`, () => readOverview(db, sort));
}

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
        (select jsonb_build_object('dsn', v.dsn, 'text', v.message) from outbox o, lateral (
          select dsn, message from email_events v where v.email_id = o.email_id
            and v.type = 'delivery_delayed' and v.recipient = o.recipient order by v.id desc limit 1) v
          where o.id = delayed_email),
        (select jsonb_build_object('dsn', r.dsn, 'text', r.reply) from message_recipients r
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
      ...{ kind: "company" as const, ...company, createdAt: createdAt! },
      ...{ reason: "The company is suspended", heldBy: "", isSuspension: true },
    })),
  ];
}
