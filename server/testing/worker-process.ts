import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { startReport } from "./start-report.ts";

const MAIN = join(import.meta.dirname, "../../worker/main.ts");

/**
 * Starts the real worker process and waits until it says that it is ready.
 *
 * @param env besides the test's own
 */
export async function startWorkerProcess(env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = fork(MAIN, {
    env: { ...process.env, ...env },
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const report = await startReport(child);
  if (report.type === "failed") throw new Error(`The worker did not start: ${report.message}`);
  return child;
}

/** Ends a process at once, as a power cut does, unless it has ended. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
