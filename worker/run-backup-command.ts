import { spawn } from "node:child_process";

import { config } from "#server/config.ts";
import { createLogger } from "#server/processes/logger.ts";
import { programFile } from "#server/processes/program-file.ts";
import { asServiceUser } from "#server/processes/service-user.ts";

const COMMAND = programFile("server/cli/posthouse.ts");

/**
 * Starts a command that reads the database's files, in a process of its own. The job doesn't wait for it, so that this process can
 * exit at any time; the command then ends too.
 *
 * @param failure for the log, if the command fails
 */
export async function runBackupCommand(given: string[], failure: string): Promise<void> {
  const { command, args } = await asServiceUser(
    { command: process.execPath, args: [COMMAND, ...given] },
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
  child.once("error", (error) => log.error({ err: error }, failure));
  child.once("close", (code) => {
    if (code !== 0) log.error({ code, reason }, failure);
  });
}
