import { type SQL, sql } from "drizzle-orm";

import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

import { firstQuota, GROWTH, type Quota, WARM_UP_DAYS } from "./ramp.ts";

export type Reservation = {
  /** Recipients that the caller may send to today. */
  granted: number;
  /** The day of the warm-up; over if it is greater than `WARM_UP_DAYS`. */
  day: number;
  /** The quota of its first day. */
  first: number;
  /** The date (UTC) that it is for. */
  date: string;
  /** Seconds until the next day. */
  secondsLeft: number;
};

/** More than any server sends. */
const UNLIMITED = 1_000_000_000;

/** Reserves a part of today's quota. Reservations at the same time never exceed it. */
export async function reserveQuota(db: Db, quota: Quota, wanted: number): Promise<Reservation> {
  const { warm_up: setting, warm_up_first_day: firstDay } = await currentSettings(db);
  const { subject, provider } = quota;
  const first = firstQuota(quota, firstDay);
  const restart = readRestart(subject === "server" ? setting : "auto");
  const quotaFrom = (start: SQL, day: SQL) => sql`
    (case when ${day} - ${start} >= ${WARM_UP_DAYS} then ${UNLIMITED}::int
      else floor(${first}::float8 * power(${GROWTH}::float8, ${day} - ${start}))::int end)`;
  const start = sql`greatest(known.started_on, ${restart})`;
  // Never back to the day before: the statement may have waited for another one.
  const day = sql`greatest(known.day, excluded.day)`;
  const used = sql`(case when known.day < excluded.day then 0 else known.used end)`;
  const granted = sql`greatest(0, least(${wanted}::int, ${quotaFrom(start, day)} - ${used}))`;
  const [row] = await db.execute<Omit<Reservation, "first">>(sql`
    with opening as (
      select least(${TODAY}, greatest(${restart}, coalesce((select started_on from warm_ups
        where subject = ${subject} and provider = '*'), 'infinity'))) as started_on, ${TODAY} as day
    ), opened as (
      select *, least(${wanted}::int, ${quotaFrom(sql`opening.started_on`, sql`opening.day`)}) as granted
      from opening
    )
    insert into warm_ups as known (subject, provider, started_on, day, used, granted)
    select ${subject}, ${provider}, started_on, day, granted, granted from opened
    on conflict (subject, provider) do update set started_on = ${start}, day = ${day},
      used = ${used} + ${granted}, granted = ${granted}
    returning granted, day - started_on + 1 as day, day::text as date,
      extract(epoch from (day + 1)::timestamp at time zone 'UTC' - clock_timestamp())::float8
        as "secondsLeft"`);
  return { ...row!, first };
}

const TODAY = sql`(clock_timestamp() at time zone 'UTC')::date`;

/** The first day that the setting names, or null if there is none or it is in the future. `greatest` ignores nulls. */
function readRestart(setting: string): SQL {
  const day = new Date(`${setting}T00:00:00Z`);
  const date = Number.isNaN(day.getTime()) ? null : day.toISOString().slice(0, 10);
  return sql`(select d from (select ${date}::text::date as d) given where d <= ${TODAY})`;
}
