import { type SQL, sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/**
 * Finds the first id since a moment by binary search, in about 30 index lookups. For tables that are written roughly
 * in the order of `created_at` and have an index on id only.
 *
 * @param moment RFC 3339
 * @returns one past the last id if there is no entry since then
 */
export async function firstIdSince(db: Db, table: SQL, moment: string): Promise<string> {
  const [row] = await db.execute<{ id: string }>(sql`
    with recursive search(low, high) as (
      select coalesce((select min(id) from ${table}), 0), coalesce((select max(id) from ${table}), 0) + 1
      union all
      select case when is_older then middle + 1 else low end, case when is_older then high else middle end
      from (select low, high, (low + high) / 2 as middle from search where low < high) s,
        lateral (select coalesce((select created_at < ${moment}::timestamptz from ${table}
          where id >= middle order by id limit 1), false) as is_older) found
    )
    select low::text as id from search order by high - low limit 1`);
  return row!.id;
}
