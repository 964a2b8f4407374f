import { spawn } from "node:child_process";
import { closeSync, constants, fstatSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";

import { openNoFollow } from "./open-no-follow.ts";
import { exitCodeOf } from "./child-exit.ts";

/**
 * Our processes inherit the lock on this descriptor, right after the IPC channel's: Node.js doesn't pass on
 * descriptors numbered consecutively from 0, so children get the lock only when it's given to them.
 */
const OWN_FD = 4;

/** Other programs inherit it on this one. High, because Dovecot uses low ones itself. */
const SERVICE_FD = 100;

const lockPath = (dataFolder: string) => join(dataFolder, "processes.lock");

/**
 * Takes the lock that all processes of a run hold, so that the next run can wait until the last one has
 * exited and freed its ports.
 *
 * @returns null when processes of another run are still running after `waitMs`
 */
export const acquireRunLock = (dataFolder: string, { waitMs }: { waitMs: number }) =>
  lockFile(lockPath(dataFolder), { waitMs });

/** Whether processes of a run are still running. */
export const isRunLocked = (dataFolder: string) => isLocked(lockPath(dataFolder));

/** The lock that this process inherited, to pass on to its children; null when it has none. */
export function inheritedRunLock(dataFolder: string): Pick<FileLock, "fd"> | null {
  try {
    const file = readlinkSync(`/proc/self/fd/${OWN_FD}`);
    return file === realpathSync(lockPath(dataFolder)) ? { fd: OWN_FD } : null;
  } catch {
    // The descriptor or the file doesn't exist, so this process was started on its own.
    return null;
  }
}

/** `stdio` of one of our processes, which inherits the lock and keeps it to itself. */
export const withRunLock = <T>(stdio: [T, T, T, T], lock: FileLock | null) =>
  lock ? [...stdio, lock.fd] : stdio;

/** `stdio` of another program that inherits the lock, with all its own processes. */
export function withServiceLock<T>(stdio: [T, T, T], lock: Pick<FileLock, "fd"> | null) {
  if (!lock) return stdio;
  const ignored = Array.from({ length: SERVICE_FD - stdio.length }, () => "ignore" as const);
  return [...stdio, ...ignored, lock.fd];
}

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
    return isListed(fd) || !(await flock(fd, ["--shared", "--nonblock"]));
  } finally {
    closeSync(fd);
  }
}

/**
 * Whether proc_locks(5) lists an exclusive lock on an open file, which costs no process. It doesn't list those of other
 * PID namespaces, and some file systems show other device numbers there.
 */
function isListed(fd: number): boolean {
  const { dev, ino } = fstatSync(fd);
  // How Linux packs the two parts of a device number into 32 bits.
  const hex = (part: number) => part.toString(16).padStart(2, "0");
  const device = `${hex((dev >>> 8) & 0xfff)}:${hex((dev & 0xff) | ((dev >>> 12) & 0xfff00))}`;
  const held = new RegExp(`FLOCK +ADVISORY +WRITE +\\d+ ${device}:${ino} `);
  try {
    return held.test(readFileSync("/proc/locks", "utf8"));
  } catch {
    return false;
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
