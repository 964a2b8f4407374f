import { and, desc, gt, not, type SQL, sql } from "drizzle-orm";

import { deliveryBlocks, destinationLimits } from "#drizzle/schema/index.ts";
import { plainText } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";

/** Workers forget limits after this long (worker/delivery/shaping/limits.ts). */
const RETENTION_HOURS = 12;

export type StoredLimits = typeof destinationLimits.$inferSelect;

/** Times further ahead were stored while a clock was wrong. */
const isFromFuture = (changedAt: SQL) =>
  sql`${changedAt} > clock_timestamp() + interval '1 minute'`;

/** Stores the limits of a destination unless newer ones are stored, and deletes old ones. */
export async function storeLimits(db: Db, limits: StoredLimits): Promise<void> {
  await db.execute(sql`
    with old as (
      delete from destination_limits where key <> ${limits.key}
        and greatest(changed_at, suspended_until)
          < clock_timestamp() - make_interval(hours => ${RETENTION_HOURS})
    )
    insert into destination_limits as known (key, throttle, reply, dsn, host, changed_at,
      suspended_until, level, connections, per_minute)
    values (${limits.key}, ${limits.throttle}, ${plainText(limits.reply)}, ${limits.dsn},
      ${limits.host}, ${limits.changedAt}, ${limits.suspendedUntil}, ${limits.level},
      ${limits.connections}, ${limits.perMinute})
    on conflict (key) do update set throttle = excluded.throttle, reply = excluded.reply,
      dsn = excluded.dsn, host = excluded.host, changed_at = excluded.changed_at,
      suspended_until = excluded.suspended_until, level = excluded.level,
      connections = excluded.connections, per_minute = excluded.per_minute
    where known.changed_at < excluded.changed_at or ${isFromFuture(sql`known.changed_at`)}`);
}

/** Limits that still matter, and the time at the database, by which they are compared. */
export async function listLimits(db: Db): Promise<{ limits: StoredLimits[]; now: number }> {
  const limits = await db
    .select()
    .from(destinationLimits)
    .where(
      and(
        gt(
          sql`greatest(${destinationLimits.changedAt}, ${destinationLimits.suspendedUntil})`,
          sql`clock_timestamp() - make_interval(hours => ${RETENTION_HOURS})`,
        ),
        not(isFromFuture(sql`${destinationLimits.changedAt}`)),
      ),
    );
  const [row] = await db.execute<{ now: number }>(
    sql`select extract(epoch from clock_timestamp())::float8 * 1000 as now`,
  );
  return { limits, now: row!.now };
}

/** Destinations that get no mail now because of their replies, those suspended longest first. */
export const listSuspended = (db: Db): Promise<StoredLimits[]> =>
  db
    .select()
    .from(destinationLimits)
    .where(gt(destinationLimits.suspendedUntil, sql`clock_timestamp()`))
    .orderBy(destinationLimits.changedAt, destinationLimits.key);

/** Longer than the longest wait between two attempts. */
const RECENT_HOURS = 8;

/** Destinations that blocked this server recently, latest first. */
export const listRecentBlocks = (db: Db): Promise<(typeof deliveryBlocks.$inferSelect)[]> =>
  db
    .select()
    .from(deliveryBlocks)
    .where(
      gt(
        deliveryBlocks.lastSeenAt,
        sql`clock_timestamp() - make_interval(hours => ${RECENT_HOURS})`,
      ),
    )
    .orderBy(desc(deliveryBlocks.lastSeenAt));

const RETENTION_DAYS = 7;

/** Longer than mail is retried: a block not seen since then has ended, and the next one is new. */
const NEW_AFTER_HOURS = 48;

export type DeliveryBlock = { destination: string; host: string | null; reply: string };

/** Records that a destination blocks this server, for operators, and deletes old records. */
export async function recordBlock(
  db: Db,
  { destination, host, reply }: DeliveryBlock,
): Promise<void> {
  await db.execute(sql`
    with old as (
      delete from delivery_blocks where destination <> ${destination}
        and last_seen_at < clock_timestamp() - make_interval(days => ${RETENTION_DAYS})
    )
    insert into delivery_blocks as known (destination, host, reply)
    values (${destination}, ${host}, ${plainText(reply)})
    on conflict (destination) do update set host = excluded.host, reply = excluded.reply,
      last_seen_at = excluded.last_seen_at,
      first_seen_at = case
        when known.last_seen_at < clock_timestamp() - make_interval(hours => ${NEW_AFTER_HOURS})
        then excluded.first_seen_at else known.first_seen_at end`);
}
