import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

import { fileOf } from "./ensure-built.ts";
import { startReport } from "./start-report.ts";

/**
 * Starts the real worker process and waits until it is ready.
 *
 * @param env added to the test's own environment
 */
export async function startWorkerProcess(env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = fork(fileOf("worker/main.ts"), {
    env: { ...process.env, ...env },
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const report = await startReport(child);
  if (report.type === "failed") throw new Error(`The worker did not start: ${report.message}`);
  return child;
}

/** Kills a process like a power cut, unless it has exited. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
