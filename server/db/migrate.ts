import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as runDrizzleMigrations } from "drizzle-orm/postgres-js/migrator";
import { runMigrations } from "graphile-worker";

import postgres from "postgres";

const MIGRATIONS_FOLDER = join(import.meta.dirname, "../../drizzle/migrations");

/** Serialises migrations of one database: several copies of the appliance may start at once. */
const MIGRATION_LOCK = 7_067_839_311;

/** Brings the database to this version's schema, ours and the job queue's. Harmless when it is there already. */
export async function migrate(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await runDrizzleMigrations(drizzle(sql), { migrationsFolder: MIGRATIONS_FOLDER });
    await migrateQueue(url, sql);
  } finally {
    await sql.end();
  }
}

/**
 * graphile-worker ends its connection without waiting for the end. A server that is stopped right
 * after would break that connection, and with it this process: so this waits, by the connection's name.
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
