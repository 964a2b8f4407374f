import { type SQL, sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/**
 * The first id of a table that is written in the order of its moments, give or take, and has an index on its
 * ids only: found by halving, in some thirty looks at the index.
 *
 * @param moment in RFC 3339
 * @returns of the first entry since then; behind the last one when there is none
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
