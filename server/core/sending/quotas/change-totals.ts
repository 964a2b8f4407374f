import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { PLATFORM } from "./scope.ts";

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

/** Changes totals that the caller's transaction has locked (lock-totals.ts). */
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
