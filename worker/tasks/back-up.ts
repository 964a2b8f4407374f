import { spawn } from "node:child_process";
import { join } from "node:path";

import { config } from "#server/config.ts";
import { isBackupDue } from "#server/core/operations/backups/is-backup-due.ts";
import { db } from "#server/db/pool.ts";
import { createLogger } from "#server/processes/logger.ts";
import { asServiceUser } from "#server/processes/service-user.ts";
import { defineTask } from "#worker/define-task.ts";

const COMMAND = join(import.meta.dirname, "../../server/cli/posthouse.ts");

/**
 * Starts the nightly backup in a process of its own. The job doesn't wait for it, so that this process can exit at
 * any time; the backup then ends too. Safe to run concurrently: the second backup finds the lock of the first and
 * exits. The record of the run and Health show why it failed.
 */
export const backUpTask = defineTask("back_up", async () => {
  if (!(await isBackupDue(db(), config()))) return;
  const { command, args } = await asServiceUser(
    { command: process.execPath, args: [COMMAND, "backup", "--if-due"] },
    { paths: [process.execPath, COMMAND, config().dataFolder], deathSignal: "TERM" },
  );
  const child = spawn(command, args, {
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const log = createLogger("worker");
  let reason = "";
  child.stderr.on("data", (chunk: Buffer) => {
    reason = chunk.toString().trim().split("\n").at(-1) ?? reason;
  });
  child.once("error", (error) => log.error({ err: error }, "the backup couldn't be started"));
  child.once("close", (code) => {
    if (code !== 0) log.error({ code, reason }, "the backup failed");
  });
});
