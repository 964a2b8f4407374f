import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

import type { Exit } from "./run.ts";

const STOP_GRACE_MS = 5_000;
/** How long to wait for a service's last output after it exits. */
const LAST_WORDS_MS = 500;

/**
 * Resolves when a service with its own process group has exited and nothing of the group is left.
 *
 * @param lastLines filled by the reader of its output
 */
export async function untilServiceExited(child: ChildProcess, lastLines: string[]): Promise<Exit> {
  const logRead = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const exit = await new Promise<Exit>((resolve) => {
    child.once("error", (error) =>
      resolve({ code: null, signal: null, lastLines: [error.message] }),
    );
    child.once("exit", (code, signal) => resolve({ code, signal, lastLines }));
  });
  await killGroup(child.pid);
  await Promise.race([logRead, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
  return exit;
}

/** Sends SIGTERM, and SIGKILL to the whole group five seconds later. */
export async function stopService(child: ChildProcess, exited: Promise<Exit>): Promise<void> {
  child.kill("SIGTERM");
  const impatience = setTimeout(() => void killGroup(child.pid), STOP_GRACE_MS);
  await exited;
  clearTimeout(impatience);
}

/** Kills processes left behind by the leader, which still hold its ports, and waits briefly until they are gone. */
async function killGroup(pid: number | undefined): Promise<void> {
  for (let attempt = 0; pid !== undefined && attempt < 50; attempt++) {
    try {
      process.kill(-pid, "SIGKILL");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ESRCH") return;
      throw error;
    }
    await sleep(10);
  }
}
