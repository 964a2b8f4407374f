import { sql } from "drizzle-orm";

import { listRecentBlocks } from "#server/core/sending/outbox/recent-blocks.ts";
import { getQueueDepth } from "#server/core/sending/outbox/queue-depth.ts";
import { TEST_DESTINATION } from "#server/core/sending/outbox/queue-rows.ts";
import { pluralize } from "#server/core/shared/pluralize.ts";
import type { Db } from "#server/db/client.ts";

import type { Condition } from "./condition.ts";
import { finishRound, readRound, startRound } from "./rounds.ts";

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
  advice: "Check that the worker is running, and see logs/worker.log",
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
