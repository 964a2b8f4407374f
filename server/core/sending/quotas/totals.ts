import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** Recipients counted in a scope. */
export type Totals = {
  /** Sent in the last 60 minutes. */
  hour: number;
  /** Accepted this calendar month (UTC), minus those canceled or failed before sending. */
  month: number;
  /** Waiting in scheduled emails. */
  scheduled: number;
};

const NONE: Totals = { hour: 0, month: 0, scheduled: 0 };

/**
 * Locks the totals of the platform and of companies until the transaction ends, subtracts sends older than 60
 * minutes, and returns them. Always locks the platform first, then companies in order, to avoid deadlocks.
 */
export async function lockTotals(
  db: Db,
  companyIds: string[],
): Promise<{ platform: Totals; companies: Map<string, Totals> }> {
  const scopes = [PLATFORM, ...new Set(companyIds)];
  const locked = await lock(db, scopes);
  if (locked.length < scopes.length) {
    // Create company rows under the platform's lock: otherwise two transactions creating several rows could
    // deadlock.
    await createRows(db, [PLATFORM]);
    await lock(db, [PLATFORM]);
    await createRows(db, scopes);
    return lockTotals(db, companyIds);
  }
  // Not in the same statement as the lock, whose snapshot may predate the lock.
  const totals = await sweep(db, scopes);
  const found = new Map(totals.map(({ scope, ...numbers }) => [scope, numbers]));
  return {
    platform: found.get(PLATFORM) ?? NONE,
    companies: new Map(companyIds.map((id) => [id, found.get(id) ?? NONE])),
  };
}

const listed = (scopes: string[]) =>
  sql`any(array(select jsonb_array_elements_text(${JSON.stringify(scopes)}::jsonb)::uuid))`;

function lock(db: Db, scopes: string[]) {
  return db.execute(sql`
    select scope from sending_totals where scope = ${listed(scopes)} order by scope for update`);
}

function createRows(db: Db, scopes: string[]) {
  return db.execute(sql`
    insert into sending_totals (scope)
    select jsonb_array_elements_text(${JSON.stringify([...scopes].sort())}::jsonb)::uuid
    on conflict (scope) do nothing`);
}

/** Totals are stored, so a sweep costs only as much as what has expired since the last one. */
async function sweep(db: Db, scopes: string[]) {
  return db.execute<Totals & { scope: string }>(sql`
    with over as (
      delete from sending_seconds where scope = ${listed(scopes)}
        and second < floor(extract(epoch from statement_timestamp())) - 3600
      returning scope, recipients
    ), swept as (
      update sending_totals t set hour_recipients = t.hour_recipients - gone.recipients
      from (select scope, sum(recipients) as recipients from over group by scope) gone
      where t.scope = gone.scope
      returning t.scope, t.hour_recipients
    )
    select t.scope, coalesce(swept.hour_recipients, t.hour_recipients)::float8 as hour,
      (case when t.month = to_char(statement_timestamp() at time zone 'UTC', 'YYYY-MM-01')
        then t.month_recipients else 0 end)::float8 as month,
      t.scheduled_recipients::float8 as scheduled
    from sending_totals t left join swept using (scope) where t.scope = ${listed(scopes)}`);
}

/** An increment of a company's totals; negative to decrement. */
export type TotalsChange = {
  companyId: string;
  /** Sent now. */
  hour?: number;
  /** `of` is the first day of the month (UTC) of acceptance. Past months aren't changed. */
  month?: { of: string; by: number };
  scheduled?: number;
};

type Sum = { scope: string; hour: number; scheduled: number; months: Record<string, number> };

/** Changes totals that the caller's transaction has locked with `lockTotals`. */
export async function changeTotals(db: Db, changes: TotalsChange[]): Promise<void> {
  const sums = new Map<string, Sum>();
  for (const { companyId, hour = 0, scheduled = 0, month } of changes) {
    const sum = sumOf(sums, companyId);
    sum.hour += hour;
    sum.scheduled += scheduled;
    if (month) sum.months[month.of] = (sum.months[month.of] ?? 0) + month.by;
    sumOf(sums, PLATFORM).hour += hour;
  }
  if (sums.size > 0) await write(db, [...sums.values()]);
}

function sumOf(sums: Map<string, Sum>, scope: string): Sum {
  const sum = sums.get(scope) ?? { scope, hour: 0, scheduled: 0, months: {} };
  sums.set(scope, sum);
  return sum;
}

function write(db: Db, sums: Sum[]) {
  return db.execute(sql`
    with change as materialized (
      select scope, hour, scheduled, this_month,
        coalesce((months ->> this_month)::bigint, 0) as month
      from jsonb_to_recordset(${JSON.stringify(sums)}::jsonb)
        as t(scope uuid, hour bigint, scheduled bigint, months jsonb)
        cross join to_char(statement_timestamp() at time zone 'UTC', 'YYYY-MM-01') as this_month
    ), counted as (
      insert into sending_seconds as s (scope, second, recipients)
      select scope, floor(extract(epoch from statement_timestamp())), hour
      from change where hour <> 0
      on conflict (scope, second) do update set recipients = s.recipients + excluded.recipients
    )
    update sending_totals t set
      hour_recipients = t.hour_recipients + change.hour,
      scheduled_recipients = greatest(0, t.scheduled_recipients + change.scheduled),
      month_recipients = greatest(0,
        case when t.month = change.this_month then t.month_recipients else 0 end + change.month),
      month = change.this_month
    from change where t.scope = change.scope`);
}

/** The scope of all companies together: the nil UUID, which sorts first. */
export const PLATFORM = "00000000-0000-0000-0000-000000000000";

/** The first day of the month (UTC), as in `sending_totals`. */
export const calendarMonth = (moment: Date): string => `${moment.toISOString().slice(0, 7)}-01`;
