import { config } from "#server/config.ts";
import { auditMail } from "#server/core/operations/ledger/audit-mail.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { pluralize } from "#server/core/shared/text.ts";
import { connect, type Connection } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";
import { clusterFolder, hasCluster, passwordFile } from "#server/postgres/cluster.ts";
import { copyDatabase } from "#server/postgres/copy-database.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { removeFile, removeTree } from "#server/processes/open-no-follow.ts";

import { CommandError } from "./failures.ts";
import { claimDataFolder } from "./start/claim-data-folder.ts";

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

/**
 * Checks that every recipient that was ever accepted is accounted for.
 *
 * @returns how many there are
 * @throws Error if one isn't
 */
async function requireAccounted({ db }: Connection): Promise<number> {
  const emails = await auditLedger(db);
  const mail = await auditMail(db);
  const unaccounted = emails.unaccounted + mail.unaccounted;
  if (unaccounted > 0)
    throw new Error(`${pluralize(unaccounted, "recipient is", "recipients are")} unaccounted for`);
  return emails.accepted + mail.accepted;
}

/**
 * Copies the database of another major version of Postgres, with this version's schema, into a new cluster of the bundled one.
 * Nothing else may use the database.
 *
 * @param folder for the cluster, which is complete and on disk when this ends. Its password is that of the original
 */
export async function copyToNewPostgres(url: string, folder: string): Promise<string> {
  for (const left of [folder, passwordFile(folder)]) await removeTree(left);
  const server = await startEmbeddedPostgres({ folder });
  const connection = connect(server.url, { max: 2 });
  try {
    await migrate(server.url);
    const { tables, rows } = await copyDatabase(url, server.url);
    await requireAccounted(connection);
    const { username, password } = new URL(url);
    await connection.sql.begin(async (sql) => {
      // Slow statements are logged, and this one contains the password.
      await sql`set local log_min_duration_statement = -1`;
      await sql.unsafe(`alter role ${username} password '${decodeURIComponent(password)}'`);
    });
    return `${pluralize(rows, "row")} in ${pluralize(tables, "table")}`;
  } finally {
    await connection.close();
    await server.stop();
    removeFile(passwordFile(folder));
  }
}
