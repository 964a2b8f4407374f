import { config } from "#server/config.ts";
import type { Context } from "#server/core/shared/context.ts";
import { wakesSent } from "#server/core/shared/wake.ts";
import { connect, type Db } from "#server/db/client.ts";
import { requireKnownSchema } from "#server/db/schema-version.ts";
import { ensureAppRole, toAdminUrl } from "#server/postgres/app-role.ts";
import { clusterFolder, hasCluster } from "#server/postgres/cluster.ts";

import { CommandError } from "./failures.ts";
import { findAdminDatabase, findDatabase } from "./running-appliance.ts";

type Access = { mayCreate?: boolean; asAdmin?: boolean };

/**
 * Runs a command on the appliance's database: DATABASE_URL, or the embedded server, which is started for the
 * command if the appliance isn't running.
 *
 * @param mayCreate whether to create a missing database in the data folder
 * @param asAdmin whether to connect as the superuser of the embedded server, for backups
 */
export async function withDatabase<T>(
  work: (db: Db, url: string) => Promise<T>,
  options: Access = {},
): Promise<T> {
  const { url, stop } = await openDatabase(options);
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

/**
 * Runs a command on one company.
 *
 * @param given its name or ID
 * @param command as the audit log names it
 */
export async function withCompany<T>(
  given: string,
  command: string,
  work: (ctx: Context, company: { id: string; name: string }) => Promise<T>,
): Promise<T> {
  const { getCompany } = await import("#server/core/access/companies/companies.ts");
  const { createContext } = await import("#server/core/shared/context.ts");
  return withDatabase(async (db) => {
    const company = await getCompany(db, given);
    const ctx = createContext(db, company.id, { kind: "system", task: `posthouse ${command}` });
    return work(ctx, company);
  });
}

/** Runs a command on the whole instance, in the context of the platform's own company. */
export async function withPlatform<T>(
  command: string,
  work: (ctx: Context) => Promise<T>,
): Promise<T> {
  const { ensurePlatformCompany } = await import("#server/core/domains/own-domain/own-domain.ts");
  const { createContext } = await import("#server/core/shared/context.ts");
  return withDatabase(async (db) => {
    const actor = { kind: "system", task: `posthouse ${command}` } as const;
    return work(createContext(db, await ensurePlatformCompany(db), actor));
  });
}

/** Runs a command on the embedded database as its superuser, whatever its version, without migrating it. */
export async function withDatabaseUnchanged<T>(
  dataFolder: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const running = await findAdminDatabase(dataFolder);
  if (running) return work(running);
  const folder = clusterFolder(dataFolder);
  await requireCluster(dataFolder);
  const { startEmbeddedPostgres } = await import("#server/postgres/embedded-postgres.ts");
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

function findRunning(folder: string, asAdmin: boolean): string | Promise<string | null> {
  const { databaseUrl, dataFolder } = config();
  if (databaseUrl) return asAdmin ? toAdminUrl(databaseUrl, folder) : databaseUrl;
  return asAdmin ? findAdminDatabase(dataFolder) : findDatabase(dataFolder);
}

async function openDatabase({
  mayCreate = false,
  asAdmin = false,
}: Access): Promise<{ url: string; stop: () => Promise<void> }> {
  const { dataFolder } = config();
  const folder = clusterFolder(dataFolder);
  const running = await findRunning(folder, asAdmin);
  if (running) return { url: running, stop: () => Promise.resolve() };
  if (!mayCreate) await requireCluster(dataFolder);
  const { startEmbeddedPostgres } = await import("#server/postgres/embedded-postgres.ts");
  const { migrate } = await import("#server/db/migrate.ts");
  const server = await startEmbeddedPostgres({ folder });
  try {
    const url = await ensureAppRole(server.url);
    await migrate(url);
    return { url: asAdmin ? server.url : url, stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
