import { pipeline } from "node:stream/promises";

import postgres from "postgres";

type Table = { name: string; columns: string };

/**
 * Copies all rows, and the positions of sequences, into a database with the same schema, in place of its rows. Nothing may write to
 * either meanwhile.
 *
 * @throws Error if a table has another number of rows afterwards
 */
export async function copyDatabase(
  from: string,
  to: string,
): Promise<{ tables: number; rows: number }> {
  const options = { max: 1, max_lifetime: null, idle_timeout: 0, onnotice: () => {} };
  const source = postgres(from, options);
  const target = postgres(to, options);
  try {
    const tables = await tablesOf(source);
    // Neither triggers nor foreign keys: the rows have passed them.
    await target`set session_replication_role = replica`;
    await target.unsafe(`truncate ${tables.map(({ name }) => name).join(", ")}`);
    let rows = 0;
    for (const table of tables) rows += await copyTable(source, target, table);
    await copySequences(source, target);
    await target`analyze`;
    return { tables: tables.length, rows };
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}

const tablesOf = (sql: postgres.Sql) => sql<Table[]>`
  select format('%I.%I', table_schema, table_name) as name,
    string_agg(format('%I', column_name), ', ' order by ordinal_position) as columns
  from information_schema.tables join information_schema.columns using (table_schema, table_name)
  where table_type = 'BASE TABLE' and is_generated = 'NEVER'
    and table_schema <> 'information_schema' and table_schema !~ '^pg_'
  group by name order by name`;

async function copyTable(
  source: postgres.Sql,
  target: postgres.Sql,
  { name, columns }: Table,
): Promise<number> {
  await pipeline(
    await source.unsafe(`copy ${name} (${columns}) to stdout`).readable(),
    await target.unsafe(`copy ${name} (${columns}) from stdin`).writable(),
  );
  const [copied, original] = await Promise.all([count(target, name), count(source, name)]);
  if (copied === original) return copied;
  throw new Error(`${name} has ${copied} rows after it was copied, instead of ${original}`);
}

async function count(sql: postgres.Sql, table: string): Promise<number> {
  const [row] = await sql.unsafe<[{ rows: number }]>(
    `select count(*)::float8 as rows from ${table}`,
  );
  return row.rows;
}

async function copySequences(source: postgres.Sql, target: postgres.Sql): Promise<void> {
  const used = await source<{ name: string; last: string }[]>`
    select format('%I.%I', schemaname, sequencename) as name, last_value::text as last
    from pg_sequences where last_value is not null`;
  for (const { name, last } of used)
    await target`select setval(${name}::text::regclass, ${last}::text::bigint)`;
}
