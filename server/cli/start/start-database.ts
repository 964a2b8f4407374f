import type { Display } from "#server/cli/display.mjs";
import type { Config } from "#server/config.ts";
import { appliedSchema, knownSchema } from "#server/db/schema-version.ts";
import { ensureAppRole } from "#server/postgres/app-role.ts";
import { POSTGRES_MAJOR } from "#server/postgres/binaries.ts";
import { checkpoint } from "#server/postgres/base-backup.ts";
import { clusterFolder, majorOf } from "#server/postgres/cluster.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { embeddedPostgresRun, reachDatabase } from "#server/postgres/run-embedded.ts";

import type { Parts } from "./parts.ts";
import type { TaskProcess } from "./startup-tasks/start-task-process.ts";
import type { Rollback } from "./rollback/rollback.ts";

const COPY = "Copy the database for rollback";

type Tools = { parts: Parts; tasks: TaskProcess; rollback: Rollback };

/**
 * Starts and supervises the embedded database, or connects to the operator's, and migrates it to this version's
 * schema. Copies the embedded one before it changes.
 *
 * @returns its connection string
 */
export async function startDatabase(
  config: Config,
  tools: Tools,
  display: Display,
): Promise<string> {
  const url = await (config.databaseUrl
    ? reachOwn(config.databaseUrl, tools, display)
    : startEmbedded(config.dataFolder, tools, display));
  await tools.tasks.run({ task: "migrate", databaseUrl: url });
  return url;
}

async function reachOwn(url: string, { tasks }: Tools, display: Display): Promise<string> {
  await display.step("Postgres", async () => {
    const answered = await reachDatabase(url);
    await tasks.run({ task: "requireDurableCommits", databaseUrl: url });
    return answered;
  });
  return url;
}

async function startEmbedded(dataFolder: string, tools: Tools, display: Display): Promise<string> {
  const { parts, rollback } = tools;
  await rollback.beforeStart();
  await changeMajor(dataFolder, tools, display);
  let url = "";
  await display.step("Postgres", async () => {
    const postgres = parts.keep(
      "postgres",
      embeddedPostgresRun({
        folder: clusterFolder(dataFolder),
        onLine: parts.log("postgres"),
        onUrl: (running) => (url = running),
      }),
      // Runs while the other parts stop, so that the shutdown has little left to write.
      { onStopping: () => checkpoint(url) },
    );
    await postgres.started;
    return `embedded, on port ${new URL(url).port}`;
  });
  const applied = await appliedSchema(url);
  if (applied !== null && applied < knownSchema())
    await display.step(COPY, () => rollback.copy(url, applied));
  else await rollback.deletePrepared();
  return ensureAppRole(url);
}

/**
 * Moves a database of another major version of Postgres into a cluster of the bundled one. If this is interrupted, the next start
 * moves it again or rolls back to the copy.
 */
async function changeMajor(
  dataFolder: string,
  { tasks, rollback }: Tools,
  display: Display,
): Promise<void> {
  const cluster = clusterFolder(dataFolder);
  const major = await majorOf(cluster);
  if (major === null || major === POSTGRES_MAJOR) return;
  const next = `${cluster}.next-major`;
  const previous = await startEmbeddedPostgres({ folder: cluster });
  const { url } = previous;
  try {
    const applied = await appliedSchema(url);
    await display.step(COPY, () => rollback.copy(url, applied ?? 0));
    await tasks.run({ task: "migrate", databaseUrl: url });
    await tasks.run({ task: "moveDatabase", databaseUrl: url, folder: next });
  } finally {
    await previous.stop();
  }
  await rollback.replaceDatabase(next);
}
