import { readFileSync } from "node:fs";
import { join } from "node:path";

import type postgres from "postgres";

/** The time of the database's last migration, in milliseconds; null for a new database. */
export async function appliedSchema(url: string): Promise<number | null> {
  // Every command loads this file for its error.
  const { default: connect } = await import("postgres");
  const sql = connect(url, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    return await newestMigration(sql);
  } finally {
    await sql.end();
  }
}

async function newestMigration(sql: postgres.Sql): Promise<number | null> {
  const [found] = await sql<[{ table: string | null }]>`
    select to_regclass('drizzle.__drizzle_migrations')::text as table`;
  if (found.table === null) return null;
  const [applied] = await sql<[{ newest: number | null }]>`
    select max(created_at)::float8 as newest from drizzle.__drizzle_migrations`;
  return applied.newest;
}

const JOURNAL = join(import.meta.dirname, "../../drizzle/migrations/meta/_journal.json");

/** The time of this version's last migration, in milliseconds. It identifies the schema. */
export function knownSchema(): number {
  const { entries } = JSON.parse(readFileSync(JOURNAL, "utf8")) as { entries: { when: number }[] };
  return entries.at(-1)!.when;
}

/** A newer version of Posthouse has used the database. */
export class NewerSchemaError extends Error {
  override name = "NewerSchemaError";
}

/** Refuses a database with a migration newer than this version's last one. */
export async function requireKnownSchema(sql: postgres.Sql): Promise<void> {
  const newest = await newestMigration(sql);
  const known = knownSchema();
  if (newest === null || newest <= known) return;
  throw new NewerSchemaError(
    "A newer version of Posthouse has used this database: its schema is from " +
      `${dayOf(newest)}, and this version's is from ${dayOf(known)}. ` +
      "Start the newer version, or restore a backup from before the upgrade",
  );
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
