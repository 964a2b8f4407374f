import { spawn } from "node:child_process";
import { closeSync, constants } from "node:fs";

import { exitCodeOf } from "./child-exit.ts";
import { openNoFollow } from "./open-no-follow.ts";

const { O_APPEND, O_CREAT, O_RDONLY, O_RDWR } = constants;

/** Exit code that flock(1) uses when another process has the lock. */
const TAKEN = 75;

/** A lock on a file. A child that inherits `fd` holds it too; it is released when the last holder exits. */
export type FileLock = { fd: number; release: () => void };

/**
 * Locks a file with flock(2). The kernel enforces the lock across containers and PID namespaces, and
 * releases it when its holders exit for any reason. Never delete the file: a process that recreates it
 * would lock a different file.
 *
 * @param waitMs how long to wait for another holder
 * @returns null when another process has it
 * @throws SymbolicLinkError
 */
export async function lockFile(file: string, { waitMs }: { waitMs: number }) {
  const fd = openNoFollow(file, O_RDWR | O_CREAT | O_APPEND, 0o600);
  const lock: FileLock = { fd, release: () => closeSync(fd) };
  try {
    if (await flock(fd, ["--exclusive", "--timeout", String(waitMs / 1000)])) return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
  lock.release();
  return null;
}

/** Whether a process holds the lock. The check itself blocks others for a few milliseconds. */
export async function isLocked(file: string): Promise<boolean> {
  let fd: number;
  try {
    fd = openNoFollow(file, O_RDONLY);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
  try {
    return !(await flock(fd, ["--shared", "--nonblock"]));
  } finally {
    closeSync(fd);
  }
}

/** Node.js can't call flock(2). flock(1) locks the open file it shares with this process, which then keeps the lock. */
async function flock(fd: number, options: string[]): Promise<boolean> {
  const child = spawn("flock", [...options, "--conflict-exit-code", String(TAKEN), "3"], {
    stdio: ["ignore", "ignore", "pipe", fd],
  });
  let complaint = "";
  child.stderr!.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  const code = await exitCodeOf(child);
  if (code === 0) return true;
  if (code === TAKEN) return false;
  throw new Error(`flock failed: ${complaint.trim() || `exit code ${String(code)}`}`);
}
