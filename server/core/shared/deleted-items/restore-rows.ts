import { type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";

import type { Db } from "#server/db/client.ts";

type Options = {
  /** Values that replace the kept ones, by column. */
  set?: Record<string, SQL>;
  /** Which rows to restore; the row is `kept`. */
  where?: SQL;
};

/**
 * Inserts a deleted item's rows of one table again, except for those whose key is in use by now. Columns that were added to the table
 * since then get their defaults, and values of removed columns are dropped.
 *
 * @returns how many were inserted
 */
export async function restoreRows(
  db: Db,
  itemId: string,
  table: PgTable,
  { set = {}, where = sql`true` }: Options = {},
): Promise<number> {
  const { name } = getTableConfig(table);
  const columns = await readColumns(db, itemId, name);
  if (columns.length === 0) return 0;
  const names = sql.join(
    columns.map((column) => sql.identifier(column)),
    sql`, `,
  );
  const values = sql.join(
    columns.map((column) => set[column] ?? sql`kept.${sql.identifier(column)}`),
    sql`, `,
  );
  const inserted = await db.execute(sql`
    insert into ${table} (${names})
    select ${values} from deleted_items d,
      jsonb_populate_recordset(null::${table}, d.contents -> ${name}) kept
    where d.id = ${itemId} and ${where}
    on conflict do nothing returning 1`);
  return inserted.length;
}

/** The columns that both the kept rows and the table have. */
async function readColumns(db: Db, itemId: string, table: string): Promise<string[]> {
  const rows = await db.execute<{ name: string }>(sql`
    select c.column_name as name from deleted_items d, jsonb_object_keys(d.contents -> ${table} -> 0) kept
    join information_schema.columns c on c.column_name = kept
    where d.id = ${itemId} and c.table_schema = 'public' and c.table_name = ${table}
      and c.is_generated = 'NEVER' and c.identity_generation is distinct from 'ALWAYS'
    order by c.ordinal_position`);
  return rows.map(({ name }) => name);
}
