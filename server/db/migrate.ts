import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { readMigrationFiles } from "drizzle-orm/migrator";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as runDrizzleMigrations } from "drizzle-orm/postgres-js/migrator";
import { runMigrations } from "graphile-worker";

import postgres from "postgres";

import { lockConnection } from "./advisory-locks.ts";
import { NewerSchemaError } from "./newer-schema-error.ts";

const MIGRATIONS_FOLDER = join(import.meta.dirname, "../../drizzle/migrations");

/**
 * Migrates the database to this version's schema, including the job queue's. Does nothing if it is up to
 * date.
 *
 * @throws NewerSchemaError when a newer version has used the database, without changing it
 */
export async function migrate(url: string): Promise<void> {
  const sql = postgres(url, {
    ...{ max: 1, max_lifetime: null, connect_timeout: 10 },
    onnotice: () => {},
  });
  try {
    await lockConnection(sql, "migration");
    await requireKnownSchema(sql);
    await runDrizzleMigrations(drizzle(sql), { migrationsFolder: MIGRATIONS_FOLDER });
    await migrateQueue(url, sql);
  } finally {
    await sql.end();
  }
}

/** Refuses a database with a migration newer than this version's last one. */
export async function requireKnownSchema(sql: postgres.Sql): Promise<void> {
  const [found] = await sql<[{ table: string | null }]>`
    select to_regclass('drizzle.__drizzle_migrations')::text as table`;
  if (found.table === null) return;
  const [applied] = await sql<[{ newest: number | null }]>`
    select max(created_at)::float8 as newest from drizzle.__drizzle_migrations`;
  const known = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).at(-1)!.folderMillis;
  if (applied.newest === null || applied.newest <= known) return;
  throw new NewerSchemaError(
    "A newer version of Posthouse has used this database: its schema is from " +
      `${dayOf(applied.newest)}, and this version's is from ${dayOf(known)}. ` +
      "Start the newer version, or restore a backup from before the upgrade",
  );
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/**
 * graphile-worker closes its connection without waiting. Stopping the server right after would make that connection,
 * and so this process, fail; wait until the named connection is gone.
 */
async function migrateQueue(url: string, sql: postgres.Sql): Promise<void> {
  const name = `posthouse-migrate-${randomBytes(4).toString("hex")}`;
  const named = new URL(url);
  named.searchParams.set("application_name", name);
  await runMigrations({ connectionString: named.href });
  const isConnected = async () =>
    (await sql`select 1 from pg_stat_activity where application_name = ${name}`).length > 0;
  while (await isConnected()) await sleep(5);
}
