import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { CommandError } from "#server/cli/command-error.ts";
import type { Display } from "#server/cli/display.mjs";
import { pluralize } from "#server/core/shared/pluralize.ts";
import { connect, type Connection } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";
import { cloneCluster } from "#server/postgres/clone-cluster.ts";
import { clusterFolder, passwordFile } from "#server/postgres/cluster.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { lockFile } from "#server/processes/file-lock.ts";
import { createPrivateFile } from "#server/processes/private-file.ts";

import { requireAccounted } from "./require-accounted.ts";
import { startOnCopy } from "./start-on-copy.ts";

/** What a rehearsal proved. */
export type Rehearsal = {
  /** How long copying the database takes, while it is in use. */
  copy_seconds: number;
  /** How long the database can't be used while it is migrated. */
  migration_seconds: number;
  /** How long this version takes to get ready. */
  start_seconds: number;
  tables: number;
  rows: number;
  /** Recipients in the ledger, all accounted for. */
  recipients: number;
};

/** Belongs to the service user. */
export const rehearsalFolder = (dataFolder: string) => join(dataFolder, "rehearsal");

/**
 * Upgrades a copy of the data while the previous version keeps running, and starts this version on it.
 *
 * @param url of the running database
 * @throws Error when the migration fails, rows are missing after it, a recipient is unaccounted for, or this version doesn't start
 */
export async function rehearse(
  url: string,
  dataFolder: string,
  display: Display,
): Promise<Rehearsal> {
  const folder = rehearsalFolder(dataFolder);
  const lock = await lockFile(join(folder, "lock"), { waitMs: 0 });
  if (!lock) throw new CommandError("Another rehearsal is running");
  const scratch = join(folder, "data");
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { mode: 0o700 });
  try {
    return await rehearseIn(scratch, { url, dataFolder }, display);
  } finally {
    await rm(scratch, { recursive: true, force: true });
    lock.release();
  }
}

async function rehearseIn(
  scratch: string,
  { url, dataFolder }: { url: string; dataFolder: string },
  display: Display,
): Promise<Rehearsal> {
  const cluster = clusterFolder(scratch);
  const copySeconds = await timed(display, "Copy the database", () =>
    cloneCluster(url, clusterFolder(dataFolder), cluster),
  );
  createPrivateFile(passwordFile(cluster), decodeURIComponent(new URL(url).password));
  await copySecrets(dataFolder, scratch);
  const checked = await upgradeCopy(cluster, display);
  const startSeconds = await timed(display, "Start this version on the copy", () =>
    startOnCopy(scratch),
  );
  return { copy_seconds: copySeconds, start_seconds: startSeconds, ...checked };
}

async function copySecrets(dataFolder: string, scratch: string): Promise<void> {
  for (const name of ["keys", "tls"]) {
    const folder = join(dataFolder, name);
    await mkdir(join(scratch, name), { mode: 0o700 });
    if (existsSync(folder))
      await promisify(execFile)("cp", ["-R", "-P", "-T", "--", folder, join(scratch, name)]);
  }
}

async function upgradeCopy(
  folder: string,
  display: Display,
): Promise<Omit<Rehearsal, "copy_seconds" | "start_seconds">> {
  const server = await startEmbeddedPostgres({
    folder,
    // It is deleted anyway, and the original needs the memory.
    settings: { fsync: "off", shared_buffers: "32MB" },
  });
  const connection = connect(server.url, { max: 2 });
  try {
    const before = await countRows(connection);
    const migrationSeconds = await timed(display, "Migrate the copy", () => migrate(server.url));
    const rows = sum(before);
    await display.step("Compare the number of rows", async () => {
      const after = await countRows(connection);
      const missing = [...before].filter(([table, count]) => (after.get(table) ?? 0) < count);
      if (missing.length > 0)
        throw new Error(`rows are missing in ${missing.map(([table]) => table).join(", ")}`);
      return `${rows.toLocaleString("en")} in ${pluralize(before.size, "table")}`;
    });
    let recipients = 0;
    await display.step("Check that every recipient is accounted for", async () => {
      recipients = await requireAccounted(connection);
      return pluralize(recipients, "recipient");
    });
    return { migration_seconds: migrationSeconds, tables: before.size, rows, recipients };
  } finally {
    await connection.close();
    await server.stop();
  }
}

async function timed(
  display: Display,
  title: string,
  work: Parameters<Display["step"]>[1],
): Promise<number> {
  const since = performance.now();
  await display.step(title, work);
  return Math.round((performance.now() - since) / 100) / 10;
}

const sum = (rows: Map<string, number>) => [...rows.values()].reduce((all, each) => all + each, 0);

async function countRows({ sql }: Connection): Promise<Map<string, number>> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const [row] = await sql<[{ rows: number }]>`select count(*)::float8 as rows from ${sql(name)}`;
    counts.set(name, row.rows);
  }
  return counts;
}
