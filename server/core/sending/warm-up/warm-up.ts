import { and, eq, sql, type SQL } from "drizzle-orm";

import { warmUps } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";
import type { Db } from "#server/db/client.ts";

export type ShownWarmUp = {
  /** `server`, `address mail2.example.com`, or `domain example.com`. */
  subject: string;
  /** `other` for all mail servers of unknown providers. */
  provider: string;
  /** The first day is 1, the last `WARM_UP_DAYS`. */
  day: number;
  /** Recipients today, and their limit. Workers reserve some ahead. */
  used: number;
  quota: number;
};

/** The warm-ups that are under way. */
export async function listWarmUps(
  db: Db,
  { localMode }: { localMode: boolean } = config(),
): Promise<ShownWarmUp[]> {
  const settings = await currentSettings(db);
  const { hasServer, domains } = warmUpSubjects(settings, { localMode });
  const rows = await db.execute<Omit<ShownWarmUp, "quota">>(sql`
    select subject, provider, today - started_on + 1 as day,
      case when day = today then used else 0 end as used
    from warm_ups, (select (clock_timestamp() at time zone 'UTC')::date as today) clock
    where provider <> '*' and today - started_on < ${WARM_UP_DAYS}
      and case when subject like 'domain %'
        then subject in (select 'domain ' || jsonb_array_elements_text(${JSON.stringify([...domains])}::jsonb))
        else ${hasServer} end
    order by subject <> 'server', subject, provider = 'other', provider`);
  return rows.map((row) => ({
    ...row,
    quota: quotaOn(row.day, firstQuota({ ...row, isBatch: false }, settings.warm_up_first_day)),
  }));
}

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

/** Returns what is left of a reservation. */
export async function returnQuota(
  db: Db,
  { subject, provider }: Quota,
  { date, unused }: { date: string; unused: number },
): Promise<void> {
  await db
    .update(warmUps)
    .set({ used: sql`greatest(0, ${warmUps.used} - ${unused})` })
    .where(
      and(
        eq(warmUps.subject, subject),
        eq(warmUps.provider, provider),
        // The next day counts from zero.
        eq(warmUps.day, date),
      ),
    );
}

/**
 * Records since when the server has sent mail, once: an upgraded server keeps its pace. Mail to the sandbox
 * and test emails don't count.
 */
export async function recordFirstSending(db: Db): Promise<void> {
  await db.execute(sql`
    insert into warm_ups (subject, provider, started_on, day)
    select 'server', '*', coalesce(least(
        (select created_at from email_events
          where type = 'delivered' and recipient not like '%.localhost'
            and not (select is_test from emails e where e.id = email_id) order by id limit 1),
        (select coalesce(r.settled_at, r.created_at) from message_recipients r
          join messages m on m.id = r.message_id and m.origin in ('submission', 'forward', 'group')
          where r.state = 'delivered' and r.recipient not like '%.localhost' order by r.id limit 1)
      )::date, 'infinity'), 'infinity'
    where not exists (select from warm_ups where subject = 'server' and provider = '*')
    on conflict do nothing`);
}

/** Days with a quota. */
export const WARM_UP_DAYS = 21;

/** Each day's quota, compared with the day before. */
const GROWTH = 1.5;

/** Share of the daily quota reserved for mailboxes and single emails; batches can't use it. */
const KEPT_FROM_BATCHES = 0.2;

/** All mail servers of unknown providers together. */
export const OTHER = "other";

/** They judge senders separately. */
const OTHER_SHARE = 5;

export type Quota = {
  /** `server`, `address` and its name if it isn't the first one, or `domain example.com`. */
  subject: string;
  provider: string;
  /** Whether it is the part that batches may use. */
  isBatch: boolean;
};

/** The quota of the first day. */
function firstQuota({ provider, isBatch }: Omit<Quota, "subject">, setting: number): number {
  const share = provider === OTHER ? OTHER_SHARE : 1;
  return setting * share * (isBatch ? 1 - KEPT_FROM_BATCHES : 1);
}

/** The quota of a day, the first being 1; infinite after the last. */
export const quotaOn = (day: number, first: number): number =>
  day > WARM_UP_DAYS ? Infinity : Math.floor(first * GROWTH ** (day - 1));

export type WarmUpSubjects = {
  /** Whether the server may have a warm-up. */
  hasServer: boolean;
  /** Domains with a warm-up of their own. */
  domains: ReadonlySet<string>;
};

/** What can have a warm-up by the settings. Nothing in local mode. */
export function warmUpSubjects(
  { warm_up: server, warm_up_domains: domains }: Pick<Settings, "warm_up" | "warm_up_domains">,
  { localMode }: { localMode: boolean },
): WarmUpSubjects {
  if (localMode) return { hasServer: false, domains: new Set() };
  return {
    hasServer: server !== "off",
    domains: new Set(domains === "none" ? [] : domains.split(",")),
  };
}
