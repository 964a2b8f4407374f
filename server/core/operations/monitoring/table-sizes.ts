import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

const LISTED_MAX = 20;

type TableSize = {
  table: string;
  /** With indexes and large values. */
  bytes: number;
  deadRows: number;
};

/** The largest tables. */
export function listTableSizes(db: Db): Promise<TableSize[]> {
  return db.execute<TableSize>(sql`
    select relname as "table", pg_total_relation_size(relid)::float8 as bytes,
      n_dead_tup::float8 as "deadRows"
    from pg_stat_user_tables where schemaname = 'public'
    order by 2 desc, 1 limit ${LISTED_MAX}`);
}
