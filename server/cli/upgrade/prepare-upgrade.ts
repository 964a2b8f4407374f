import { CommandError } from "#server/cli/command-error.ts";
import type { Display } from "#server/cli/display.mjs";
import { readUpgrade, removeUpgrade } from "#server/cli/start/rollback/upgrade-record.ts";
import { preparedFolder } from "#server/cli/start/rollback/rollback.ts";
import { withDatabaseUnchanged } from "#server/cli/with-database.ts";
import { config } from "#server/config.ts";
import { appliedSchema, knownSchema } from "#server/db/schema-version.ts";
import { connect } from "#server/db/client.ts";
import { POSTGRES_MAJOR } from "#server/postgres/binaries.ts";
import { cloneCluster } from "#server/postgres/clone-cluster.ts";
import { clusterFolder, majorOf } from "#server/postgres/cluster.ts";

import { backUpBefore, type BackupResult } from "./back-up-before.ts";

/** Moving a database to another major version of Postgres takes half a minute per gigabyte on an idle machine. */
const PATIENCE_MS_PER_GB = 120_000;
const GB = 1024 ** 3;

export type Preparation = {
  /** Whether this version changes the schema. */
  migrates: boolean;
  backup: BackupResult;
  /** How much longer than usual the first start of this version may take. */
  patienceMs: number;
};

/**
 * Makes a backup, copies the database for rollback, and allows the next start to upgrade, even if an earlier one failed. The
 * previous version keeps running.
 *
 * @param backup the destination; undefined for the configured one, false for no backup
 */
export async function prepareUpgrade(
  { backup, json }: { backup: string | false | undefined; json: boolean },
  display: Display,
): Promise<Preparation> {
  const { dataFolder } = config();
  return withDatabaseUnchanged(dataFolder, async (url) => {
    const applied = await appliedSchema(url);
    if (applied !== null && applied > knownSchema())
      throw new CommandError(
        "A newer version of Posthouse has used this database. Run upgrade with that version, or a newer one",
      );
    const done = backup === false ? null : await backUpBefore(url, { to: backup, json }, display);
    const migrates = applied !== knownSchema();
    const changesMajor = (await majorOf(clusterFolder(dataFolder))) !== POSTGRES_MAJOR;
    const changes = migrates || changesMajor;
    if (changes)
      await display.step("Copy the database for rollback", () =>
        cloneCluster(url, clusterFolder(dataFolder), preparedFolder(dataFolder)),
      );
    if (readUpgrade(dataFolder)?.failure) await removeUpgrade(dataFolder);
    const patienceMs = changes ? ((await databaseBytes(url)) / GB) * PATIENCE_MS_PER_GB : 0;
    return { migrates, backup: done, patienceMs };
  });
}

async function databaseBytes(url: string): Promise<number> {
  const connection = connect(url, { max: 1 });
  try {
    const [row] = await connection.sql<[{ bytes: number }]>`
      select pg_database_size(current_database())::float8 as bytes`;
    return row.bytes;
  } finally {
    await connection.close();
  }
}
