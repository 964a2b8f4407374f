import { readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";

import { type FileLock, isLocked, lockFile } from "./file-lock.ts";

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
export function acquireRunLock(dataFolder: string, { waitMs }: { waitMs: number }) {
  return lockFile(lockPath(dataFolder), { waitMs });
}

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
