import postgres from "postgres";

/** The time of the database's last migration, in milliseconds; null for a new database. */
export async function appliedSchema(url: string): Promise<number | null> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    return await newestMigration(sql);
  } finally {
    await sql.end();
  }
}

export async function newestMigration(sql: postgres.Sql): Promise<number | null> {
  const [found] = await sql<[{ table: string | null }]>`
    select to_regclass('drizzle.__drizzle_migrations')::text as table`;
  if (found.table === null) return null;
  const [applied] = await sql<[{ newest: number | null }]>`
    select max(created_at)::float8 as newest from drizzle.__drizzle_migrations`;
  return applied.newest;
}
