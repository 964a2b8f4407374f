import type { Display } from "#server/cli/display.mjs";
import { type Config, ROLES } from "#server/config.ts";
import { checkDisk } from "#server/core/operations/system-checks/check-machine.ts";
import type { FileLock } from "#server/processes/run-lock.ts";
import { trimMemoryWhenIdle } from "#server/processes/trim-memory.ts";

import { copyCertificate } from "./copy-certificate.ts";
import { handOverData } from "./hand-over-data.ts";
import { partsOf } from "./parts.ts";
import { startDatabase } from "./start-database.ts";
import { startRoles } from "./start-roles.ts";
import { startTaskProcess } from "./startup-tasks/start-task-process.ts";
import type { Rollback } from "./rollback/rollback.ts";

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
