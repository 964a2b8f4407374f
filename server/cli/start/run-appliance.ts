import type { Display } from "#server/cli/display.mjs";
import { type Config, ROLES } from "#server/config.ts";
import { checkDisk } from "#server/core/operations/system-checks/check-machine.ts";
import { knownSchema } from "#server/db/schema-version.ts";
import { toAppUrl } from "#server/postgres/app-role.ts";
import { checkpoint } from "#server/postgres/base-backup.ts";
import { POSTGRES_MAJOR } from "#server/postgres/binaries.ts";
import { clusterFolder, majorOf } from "#server/postgres/cluster.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { embeddedPostgresRun, reachDatabase } from "#server/postgres/run-embedded.ts";
import type { FileLock } from "#server/processes/run-lock.ts";
import { trimMemoryWhenIdle } from "#server/processes/trim-memory.ts";

import { copyCertificate, handOverData } from "./as-root.ts";
import { type Parts, partsOf } from "./parts.ts";
import type { Rollback } from "./rollback.ts";
import { startRoles } from "./start-roles.ts";
import { startTaskProcess, type TaskProcess } from "./startup-tasks/start-task-process.ts";

/**
 * Starts the database, the sandbox and the processes of the roles, runs the self-check in local mode, and
 * prints how to continue.
 *
 * @param running receives what has to be stopped again
 * @param runLock inherited by every process
 * @param rollback undoes an upgrade of the database that fails
 */
export async function runAppliance(
  config: Config,
  display: Display,
  {
    running,
    runLock,
    rollback,
  }: {
    running: AsyncDisposableStack;
    runLock: FileLock;
    rollback: Rollback;
  },
): Promise<void> {
  const disk = await checkDisk(config);
  if (disk.state !== "ok") display.warning(`Disk: ${disk.found}. ${disk.advice ?? ""}`);
  const parts = partsOf(display);
  const tasks = startTaskProcess(display, runLock);
  // Last, because writes wait as long as it runs.
  running.defer(() => tasks.stop());
  running.defer(() => parts.stop());
  const databaseUrl = await startDatabase(config, { parts, tasks, rollback }, display);
  await handOverData(config.dataFolder);
  await tasks.run({ task: "prepare", databaseUrl });
  const { tls, stop } = await copyCertificate(config, {
    onProblem: (problem) =>
      display.failure(
        `The new certificate is invalid; keeping the current one: ${String(problem)}`,
      ),
  });
  running.defer(stop);
  if (rollback.isPossible()) await tasks.run({ task: "holdWrites", databaseUrl });
  await startRoles({ ...config, tls }, databaseUrl, { parts, runLock }, display);
  if (rollback.isPossible()) {
    await tasks.run({ task: "awaitReady", databaseUrl });
    await rollback.discardCopy();
    await tasks.run({ task: "releaseWrites", databaseUrl });
  }
  // Below the reserve no email is accepted, so the self-check would fail. The warning above says so.
  const withSelfCheck = config.roles.size === ROLES.length && disk.state !== "failed";
  await tasks.run({ task: "finish", databaseUrl, withSelfCheck });
  await tasks.stop();
  running.defer(trimMemoryWhenIdle());
}

const COPY = "Copy the database for rollback";

type Tools = { parts: Parts; tasks: TaskProcess; rollback: Rollback };

/**
 * Starts and supervises the embedded database, or connects to the operator's, and migrates it to this version's
 * schema. Copies the embedded one before it changes.
 *
 * @returns its connection string
 */
async function startDatabase(config: Config, tools: Tools, display: Display): Promise<string> {
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
  const { parts, tasks, rollback } = tools;
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
  const applied = await tasks.run({ task: "appliedSchema", databaseUrl: url });
  if (applied !== null && applied < knownSchema())
    await display.step(COPY, () => rollback.copy(url, applied));
  else await rollback.deletePrepared();
  await tasks.run({ task: "ensureAppRole", databaseUrl: url });
  return toAppUrl(url);
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
    const applied = await tasks.run({ task: "appliedSchema", databaseUrl: url });
    await display.step(COPY, () => rollback.copy(url, applied ?? 0));
    await tasks.run({ task: "migrate", databaseUrl: url });
    await tasks.run({ task: "moveDatabase", databaseUrl: url, folder: next });
  } finally {
    await previous.stop();
  }
  await rollback.replaceDatabase(next);
}
