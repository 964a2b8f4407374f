import { and, asc, desc, gt, isNull, notInArray, or, sql } from "drizzle-orm";
import { type Alarm, alarms } from "#drizzle/schema/index.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";
import { queueAlarmMessage } from "./alarm-messages.ts";
import type { Condition } from "./conditions.ts";

/** An alarm is cleared this long after its condition was last found, so that it doesn't flap. */
const CLEAR_AFTER_SECONDS = 90;

const KEPT_DAYS = 90;

type AlarmChanges = { raised: Alarm[]; cleared: Alarm[] };

/**
 * Raises an alarm for each condition that has none, clears those whose condition is gone, and queues one message
 * about both. An alarm that has become critical counts as raised again.
 *
 * @param isSilent raises and clears alarms without notifying operators
 */
export async function updateAlarms(
  db: Db,
  conditions: Condition[],
  {
    clearAfterSeconds = CLEAR_AFTER_SECONDS,
    isSilent = false,
  }: { clearAfterSeconds?: number; isSilent?: boolean } = {},
): Promise<AlarmChanges> {
  return db.transaction(async (tx) => {
    await lock(tx, "alarms");
    const before = new Map(
      (await tx.select().from(alarms).where(isNull(alarms.clearedAt))).map((alarm) => [
        alarm.name,
        alarm,
      ]),
    );
    const current = conditions.length > 0 ? await store(tx, conditions) : [];
    const raised = current.filter(({ name, severity }) => {
      const known = before.get(name);
      return !known || (severity === "critical" && known.severity === "warning");
    });
    const cleared = await clear(tx, conditions, clearAfterSeconds);
    if (!isSilent && raised.length + cleared.length > 0)
      await queueAlarmMessage(tx, { kind: "changes", raised, cleared });
    await tx.execute(sql`
      delete from ${alarms} where cleared_at < clock_timestamp() - make_interval(days => ${KEPT_DAYS})`);
    return { raised, cleared };
  });
}

function store(db: Db, conditions: Condition[]): Promise<Alarm[]> {
  const rows = conditions.map(({ name, severity, found, advice }) => ({
    name,
    severity,
    found,
    advice,
  }));
  return db
    .insert(alarms)
    .values(rows)
    .onConflictDoUpdate({
      target: alarms.name,
      targetWhere: isNull(alarms.clearedAt),
      set: {
        severity: sql`excluded.severity`,
        found: sql`excluded.found`,
        advice: sql`excluded.advice`,
        seenAt: sql`clock_timestamp()`,
      },
    })
    .returning();
}

function clear(db: Db, conditions: Condition[], clearAfterSeconds: number): Promise<Alarm[]> {
  const names = conditions.map(({ name }) => name);
  return db
    .update(alarms)
    .set({ clearedAt: sql`clock_timestamp()` })
    .where(
      and(
        isNull(alarms.clearedAt),
        sql`${alarms.seenAt} <= clock_timestamp() - make_interval(secs => ${clearAfterSeconds})`,
        ...(names.length > 0 ? [notInArray(alarms.name, names)] : []),
      ),
    )
    .returning();
}

/** The alarms that are raised now: critical ones first, then the oldest first. */
export const listRaisedAlarms = (db: Db): Promise<Alarm[]> =>
  db
    .select()
    .from(alarms)
    .where(isNull(alarms.clearedAt))
    .orderBy(asc(alarms.severity), asc(alarms.raisedAt), asc(alarms.name));

/** The alarms that were raised or cleared within the last `hours`, newest first. */
export const listChangedAlarms = (db: Db, hours: number): Promise<Alarm[]> => {
  const since = sql`statement_timestamp() - make_interval(hours => ${hours})`;
  return db
    .select()
    .from(alarms)
    .where(or(gt(alarms.raisedAt, since), gt(alarms.clearedAt, since)))
    .orderBy(desc(alarms.raisedAt), asc(alarms.name));
};
