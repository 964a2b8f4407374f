import { join } from "node:path";

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
    await runMigrations({ connectionString: url });
  } finally {
    await sql.end();
  }
}
