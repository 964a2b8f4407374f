import { eq, sql } from "drizzle-orm";

import { watchRounds } from "#drizzle/schema/index.ts";
import { getQueueDepth } from "#server/core/sending/outbox/queue-depth.ts";
import { TEST_DESTINATION } from "#server/core/sending/outbox/queue-rows.ts";
import { listRecentBlocks } from "#server/core/sending/outbox/delivery-blocks.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";

const OLDEST_DUE_SECONDS_MAX = 300;
const BLOCK_REPORTED_MAX = 10;
const DEFERRED_RECIPIENTS_MIN = 20;
const DEFERRED_RATIO_MIN = 0.5;
const DEFERRED_SHOWN_MAX = 10;

/** Reads the whole queue. Shorter than the time after which alarms are cleared. */
const DEFERRED_EVERY_SECONDS = 60;

/** Mail that isn't moving: due mail that nothing delivers, and destinations that defer or block it. */
export async function findDeliveryConditions(db: Db): Promise<Condition[]> {
  const [late, deferring, blocks] = await Promise.all([
    findLateMail(db),
    listDeferring(db),
    listRecentBlocks(db),
  ]);
  // The latest block changes all the time, which would raise and clear alarms in turn.
  const oldestBlocks = blocks.toSorted((a, b) => (a.firstSeenAt < b.firstSeenAt ? -1 : 1));
  return [
    ...late,
    ...deferring.map(deferred),
    ...oldestBlocks.slice(0, BLOCK_REPORTED_MAX).map(({ destination, reply }): Condition => ({
      name: `blocked:${destination}`,
      severity: "warning",
      found: `${destination} blocks this server: ${reply}`,
      advice:
        "Check that the server's IP address is on no blocklist and has a matching reverse DNS name, then ask the destination to lift the block",
    })),
  ];
}

async function findLateMail(db: Db): Promise<Condition[]> {
  if (!(await isMailLate(db))) return [];
  const { due, oldestDueSeconds } = await getQueueDepth(db);
  const age = Math.round(oldestDueSeconds ?? 0);
  return age > OLDEST_DUE_SECONDS_MAX ? [queueAge(due, age)] : [];
}

/** Reads the start of each index only: counting a long queue every 15 seconds would slow down deliveries. */
async function isMailLate(db: Db): Promise<boolean> {
  const [row] = await db.execute<{ isLate: boolean }>(sql`
    select coalesce(least(
      (select min(next_attempt_at) from outbox where lease_until is null),
      (select min(lease_until) from outbox where lease_until is not null),
      (select min(next_attempt_at) from message_recipients where state = 'queued' and lease_until is null),
      (select min(lease_until) from message_recipients where lease_until is not null)
    ) < statement_timestamp() - make_interval(secs => ${OLDEST_DUE_SECONDS_MAX}), false) as "isLate"`);
  return row!.isLate;
}

const queueAge = (due: number, age: number): Condition => ({
  name: "queue_age",
  severity: "critical",
  found: `Delivery is stalled: ${pluralize(due, "recipient is", "recipients are")} overdue, the oldest by ${pluralize(Math.round(age / 60), "minute")}`,
  advice: "Check that the worker is running, and see `posthouse logs --process worker`",
});

type Deferring = { destination: string; delayed: number; waiting: number };

const deferred = ({ destination, delayed, waiting }: Deferring): Condition => ({
  name: `deferred:${destination}`,
  severity: "warning",
  found: `${destination} defers ${delayed} of ${pluralize(waiting, "queued recipient")} (${Math.round((100 * delayed) / waiting)}%)`,
  advice: "See the latest replies in the console under Queue. Posthouse keeps retrying for days",
  afterSeconds: 300,
});

/** As found within the last minute. */
async function listDeferring(db: Db): Promise<Deferring[]> {
  if ((await startRound(db, "deferring", DEFERRED_EVERY_SECONDS)) !== null)
    await finishRound(db, "deferring", { destinations: await findDeferring(db) });
  const round = await readRound(db, "deferring");
  return (round?.result.destinations ?? []) as Deferring[];
}

/** Destinations where most of the queued recipients have failed at least once, without mail on hold and test emails. */
function findDeferring(db: Db): Promise<Deferring[]> {
  return db.execute<Deferring>(sql`
    with queued as (
      select destination, attempt from outbox
      where next_attempt_at < 'infinity' and destination <> ${TEST_DESTINATION}
      union all
      select destination, attempt from message_recipients
      where state = 'queued' and lease_until is null and next_attempt_at < 'infinity'
    )
    select destination, (count(*) filter (where attempt > 0))::int as delayed, count(*)::int as waiting
    from queued group by 1
    having count(*) filter (where attempt > 0) >= ${DEFERRED_RECIPIENTS_MIN}
      and count(*) filter (where attempt > 0) >= ${DEFERRED_RATIO_MIN}::float8 * count(*)
    order by 2 desc, 1 limit ${DEFERRED_SHOWN_MAX}`);
}

/** Heartbeats count for 15 s, so this is a minute without one. */
const SILENT_SECONDS = 45;

const INNER_SECONDS = 60;

/** A crash loop: this many starts of a role beyond one for each process, within the window. */
const EXTRA_STARTS = 3;

const STARTS_WINDOW_MS = 600_000;

/** How often processes of each role have started, at a time in milliseconds since 1970. */
export type StartsSample = { at: number; starts: Record<string, number> };

type Silent = { role: string; host: string; seconds: number };

type Inner = { role: string; host: string };

/** Processes without a heartbeat, parts of them that don't respond, and crash loops. */
export async function findProcessConditions(
  db: Db,
  { samples, nowMs }: { samples: StartsSample[]; nowMs: number },
): Promise<{ conditions: Condition[]; samples: StartsSample[] }> {
  const [silent, inner, starts, live] = await Promise.all([
    findSilent(db),
    findUnresponsiveInside(db),
    countStarts(db),
    countLive(db),
  ]);
  const kept = [
    ...samples.filter(({ at }) => at > nowMs - STARTS_WINDOW_MS),
    { at: nowMs, starts },
  ];
  const conditions = [
    ...silent.map(silentProcess),
    ...inner.map(unresponsivePart),
    ...findCrashLoops(kept, live),
  ];
  return { conditions, samples: kept };
}

const silentProcess = ({ role, host, seconds }: Silent): Condition => ({
  name: `process:${role}@${host}`,
  severity: "critical",
  found: `The ${role} process on ${host} hasn't responded for ${seconds} seconds`,
  advice: `Posthouse restarts it. If it stays down, see \`posthouse logs --process ${role}\` on ${host}`,
});

function unresponsivePart({ role, host }: Inner): Condition {
  const part = role === "mail" ? "Dovecot" : "The delivery loop";
  return {
    name: `part:${role}@${host}`,
    severity: "critical",
    found: `${part} on ${host} doesn't respond`,
    advice: `See \`posthouse logs --process ${role}\` on ${host}`,
    afterSeconds: INNER_SECONDS,
  };
}

/** Compares with the oldest sample of the window. Counters that started over give no result. */
export function findCrashLoops(samples: StartsSample[], live: Record<string, number>): Condition[] {
  const first = samples[0]!.starts;
  const last = samples.at(-1)!.starts;
  return Object.entries(last).flatMap(([role, total]): Condition[] => {
    // A role without an earlier sample has just been started for the first time.
    const starts = total - (first[role] ?? total);
    if (starts < EXTRA_STARTS + (live[role] ?? 0)) return [];
    return [
      {
        name: `crash_loop:${role}`,
        severity: "critical",
        found: `The ${role} process started ${starts} times within 10 minutes`,
        advice: `It exits soon after each start. See \`posthouse logs --process ${role}\` for the reason`,
      },
    ];
  });
}

/** The newest process of each role and host, if it stopped without notice and nothing took its place. */
function findSilent(db: Db): Promise<Silent[]> {
  return db.execute<Silent>(sql`
    select role, host,
      round(extract(epoch from statement_timestamp() - max(alive_until)) + 15)::int as seconds
    from processes group by role, host
    having max(alive_until) < statement_timestamp() - make_interval(secs => ${SILENT_SECONDS})`);
}

function findUnresponsiveInside(db: Db): Promise<Inner[]> {
  return db.execute<Inner>(sql`
    select role, host from processes where alive_until > statement_timestamp()
    group by role, host having not bool_or(coalesce((facts ->> 'isServing')::boolean, true))`);
}

async function countStarts(db: Db): Promise<Record<string, number>> {
  const rows = await db.execute<{ role: string; starts: number }>(sql`
    select labels::jsonb ->> 'role' as role, value as starts from metric_totals
    where name = 'posthouse_process_starts_total'`);
  return Object.fromEntries(rows.map(({ role, starts }) => [role, starts]));
}

async function countLive(db: Db): Promise<Record<string, number>> {
  const rows = await db.execute<{ role: string; live: number }>(sql`
    select role, count(*)::int as live from processes
    where alive_until > statement_timestamp() group by role`);
  return Object.fromEntries(rows.map(({ role, live }) => [role, live]));
}

/**
 * Something that is wrong now. It raises an alarm once it has lasted for `afterSeconds`. While its alarm
 * is raised, being found once is enough to keep it.
 */
export type Condition = {
  /** Identifies the alarm: `disk`, `deferred:example.com`. */
  name: string;
  severity: "warning" | "critical";
  /** One sentence. */
  found: string;
  advice: string;
  /** 0 by default. */
  afterSeconds?: number;
};

/** When each condition was first found, in milliseconds since 1970. */
export type FirstFound = Record<string, number>;

/**
 * Splits conditions into those that have lasted long enough, and the memory for the next round. A condition that
 * isn't found in a round starts over, unless its alarm is still raised.
 *
 * @param raised the names of raised alarms
 */
export function settle(
  conditions: Condition[],
  {
    before,
    nowMs,
    raised = new Set(),
  }: { before: FirstFound; nowMs: number; raised?: ReadonlySet<string> },
): { lasting: Condition[]; firstFound: FirstFound } {
  const firstFound = Object.fromEntries(
    conditions.map(({ name }) => [name, before[name] ?? nowMs]),
  );
  const lasting = conditions.filter(
    ({ name, afterSeconds = 0 }) =>
      raised.has(name) || nowMs - firstFound[name]! >= afterSeconds * 1_000,
  );
  return { lasting, firstFound };
}

type Result = Record<string, unknown>;

type Round = { startedAt: string; finishedAt: string | null; result: Result };

/**
 * Starts a round of work that only one process at a time does. If that process dies, the next round starts when it
 * is due.
 *
 * @param everySeconds the time between the starts of two rounds
 * @returns the result of the round before, or null if a round isn't due or another process has started it
 */
export async function startRound(
  db: Db,
  name: string,
  everySeconds: number,
): Promise<Result | null> {
  const [started] = await db.execute<{ result: Result }>(sql`
    insert into ${watchRounds} as known (name, started_at) values (${name}, clock_timestamp())
    on conflict (name) do update set started_at = excluded.started_at
    where known.started_at <= clock_timestamp() - make_interval(secs => ${everySeconds})
    returning result`);
  return started?.result ?? null;
}

export async function finishRound(db: Db, name: string, result: Result): Promise<void> {
  await db
    .update(watchRounds)
    .set({ finishedAt: sql`clock_timestamp()`, result })
    .where(eq(watchRounds.name, name));
}

/** The last round; null if there was none. */
export async function readRound(db: Db, name: string): Promise<Round | null> {
  const [found] = await db.select().from(watchRounds).where(eq(watchRounds.name, name));
  return found ?? null;
}
