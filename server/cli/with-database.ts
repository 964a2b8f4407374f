import { config } from "#server/config.ts";
import { wakesSent } from "#server/core/shared/wake.ts";
import { connect, type Db } from "#server/db/client.ts";
import { migrate, requireKnownSchema } from "#server/db/migrate.ts";
import { clusterFolder, hasCluster } from "#server/postgres/cluster.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";

import { CommandError } from "./command-error.ts";
import { findDatabase } from "./find-database.ts";

/**
 * Runs a command on the appliance's database: DATABASE_URL, or the embedded server, which is started for the
 * command if the appliance isn't running.
 *
 * @param mayCreate whether to create a missing database in the data folder
 */
export async function withDatabase<T>(
  work: (db: Db, url: string) => Promise<T>,
  { mayCreate = false }: { mayCreate?: boolean } = {},
): Promise<T> {
  const { url, stop } = await openDatabase(mayCreate);
  const connection = connect(url, { max: 4 });
  try {
    await requireKnownSchema(connection.sql);
    return await work(connection.db, url);
  } finally {
    await wakesSent();
    await connection.close();
    await stop();
  }
}

/** Runs a command on the embedded database whatever its version, without migrating it. */
export async function withDatabaseUnchanged<T>(
  dataFolder: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const running = await findDatabase(dataFolder);
  if (running) return work(running);
  const folder = clusterFolder(dataFolder);
  await requireCluster(dataFolder);
  const server = await startEmbeddedPostgres({ folder });
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}

async function requireCluster(dataFolder: string): Promise<void> {
  if (await hasCluster(clusterFolder(dataFolder))) return;
  throw new CommandError(
    `There is no database in ${dataFolder}: start the appliance first, or set POSTHOUSE_DATA or DATABASE_URL`,
  );
}

async function openDatabase(
  mayCreate: boolean,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const { databaseUrl, dataFolder } = config();
  if (databaseUrl) return { url: databaseUrl, stop: () => Promise.resolve() };
  const running = await findDatabase(dataFolder);
  if (running) return { url: running, stop: () => Promise.resolve() };
  const folder = clusterFolder(dataFolder);
  if (!mayCreate) await requireCluster(dataFolder);
  const server = await startEmbeddedPostgres({ folder });
  try {
    await migrate(server.url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { url: server.url, stop: () => server.stop() };
}
