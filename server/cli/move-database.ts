import { config } from "#server/config.ts";
import { pluralize } from "#server/core/shared/text.ts";
import { connect } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";
import { copyDatabase } from "#server/postgres/copy-database.ts";
import { clusterFolder, hasCluster } from "#server/postgres/cluster.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";

import { CommandError } from "./command-error.ts";
import { claimDataFolder } from "./start/claim-data-folder.ts";
import { requireAccounted } from "./upgrade/require-accounted.ts";

export type MovedDatabase = { tables: number; rows: number; recipients: number };

/**
 * Copies the embedded database into an empty one of another Postgres, and verifies the row counts and the ledger. The
 * embedded one is migrated to the newest schema first; its rows stay.
 *
 * @param to connection string
 * @throws CommandError if an appliance runs on the data folder, or the other database isn't empty
 */
export async function moveDatabase(to: string): Promise<MovedDatabase> {
  const { databaseUrl, dataFolder } = config();
  if (databaseUrl)
    throw new CommandError(
      "DATABASE_URL is set, so the embedded database isn't in use. Run this command without it",
    );
  const folder = clusterFolder(dataFolder);
  if (!(await hasCluster(folder)))
    throw new CommandError(
      `There is no database in ${dataFolder}. Set POSTHOUSE_DATA to the folder that has one`,
    );
  const claim = await claimDataFolder(dataFolder);
  try {
    const server = await startEmbeddedPostgres({ folder });
    try {
      await migrate(server.url);
      return await copyInto(server.url, to);
    } finally {
      await server.stop();
    }
  } finally {
    claim.release();
  }
}

async function copyInto(from: string, to: string): Promise<MovedDatabase> {
  const target = connect(to, { max: 2 });
  try {
    await requireEmpty(target.sql);
    await migrate(to);
    const { tables, rows } = await copyDatabase(from, to);
    return { tables, rows, recipients: await requireAccounted(target) };
  } finally {
    await target.close();
  }
}

/** An interrupted copy leaves tables behind, so it can only be repeated into a new database. */
async function requireEmpty(sql: ReturnType<typeof connect>["sql"]): Promise<void> {
  const [row] = await sql<[{ tables: number }]>`
    select count(*)::int as tables from pg_tables
    where schemaname !~ '^pg_' and schemaname <> 'information_schema'`;
  if (row.tables > 0)
    throw new CommandError(
      `The database at --to already has ${pluralize(row.tables, "table")}. Create an empty one, and pass its connection string`,
    );
}
