import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as runDrizzleMigrations } from "drizzle-orm/postgres-js/migrator";
import { runMigrations } from "graphile-worker";

import postgres from "postgres";

import { lockConnection } from "./advisory-locks.ts";
import { requireKnownSchema } from "./schema-version.ts";

/** A migration that waits for a lock makes every later statement on the table wait too. It tries again instead. */
const LOCK_TIMEOUT_MS = 2_000;
const LOCK_PAUSE_MS = 1_000;
const ATTEMPTS_MAX = 40;
const LOCK_NOT_AVAILABLE = "55P03";

const MIGRATIONS_FOLDER = join(import.meta.dirname, "../../drizzle/migrations");

/**
 * Migrates the database to this version's schema, including the job queue's. Does nothing if it is up to
 * date.
 *
 * @param folder the migrations; tests use a folder with one more
 * @throws NewerSchemaError when a newer version has used the database, without changing it
 */
export async function migrate(url: string, folder = MIGRATIONS_FOLDER): Promise<void> {
  const sql = postgres(url, {
    max: 1,
    max_lifetime: null,
    connect_timeout: 10,
    onnotice: () => {},
  });
  try {
    await lockConnection(sql, "migration");
    await requireKnownSchema(sql);
    await sql.unsafe(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await applyMigrations(sql, folder);
    await migrateQueue(url, sql);
  } finally {
    await sql.end();
  }
}

/** All in one transaction, so that a failure changes nothing. */
async function applyMigrations(sql: postgres.Sql, folder: string): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      await runDrizzleMigrations(drizzle(sql), { migrationsFolder: folder });
      return;
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isLockTimeout(error)) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
}

/** Drizzle wraps Postgres' errors. */
function isLockTimeout(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if ("code" in each && each.code === LOCK_NOT_AVAILABLE) return true;
  return false;
}

/**
 * graphile-worker closes its connection without waiting. Stopping the server right after would make that connection,
 * and so this process, fail; wait until the named connection is gone.
 */
async function migrateQueue(url: string, sql: postgres.Sql): Promise<void> {
  await createQueueMigrations(sql);
  const name = `posthouse-migrate-${randomBytes(4).toString("hex")}`;
  const named = new URL(url);
  named.searchParams.set("application_name", name);
  await runMigrations({ connectionString: named.href });
  const isConnected = async () =>
    (await sql`select 1 from pg_stat_activity where application_name = ${name}`).length > 0;
  while (await isConnected()) await sleep(5);
}

/**
 * The table in which graphile-worker records its migrations, as it would create it. It looks for the table first, and
 * Postgres would log an error at the first start.
 */
async function createQueueMigrations(sql: postgres.Sql): Promise<void> {
  await sql`create schema if not exists graphile_worker`;
  await sql`
    create table if not exists graphile_worker.migrations (
      id int primary key,
      ts timestamptz not null default now(),
      breaking boolean not null default false)`;
}
