import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

import type { Exit } from "./supervise.ts";

const STOP_GRACE_MS = 5_000;
/** How long processes that outlive their leader may take to end their sessions. */
const GROUP_GRACE_MS = 1_000;
const POLL_MS = 10;
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
  // A leader that stopped in order leaves sessions to end. After a crash there is no time to lose.
  await (exit.code === 0 ? endGroup : killGroup)(child.pid);
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

/** Ends processes left behind by the leader, which still hold its ports. */
async function endGroup(pid: number | undefined): Promise<void> {
  if (pid === undefined || !signalGroup(pid, "SIGTERM")) return;
  for (const deadline = performance.now() + GROUP_GRACE_MS; performance.now() < deadline;) {
    await sleep(POLL_MS);
    if (!signalGroup(pid, 0)) return;
  }
  await killGroup(pid);
}

/** Kills a group of processes and waits briefly until they are gone. */
async function killGroup(pid: number | undefined): Promise<void> {
  for (let attempt = 0; pid !== undefined && attempt < 50; attempt++) {
    if (!signalGroup(pid, "SIGKILL")) return;
    await sleep(POLL_MS);
  }
}

/** Signals a group of processes; 0 sends nothing. Returns whether it still has one. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}
