import { readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";

import { type FileLock, lockFile } from "./file-lock.ts";

/** Processes inherit the lock at this descriptor. High, since Dovecot uses low ones for itself. */
const FD = 100;

const lockPath = (dataFolder: string) => join(dataFolder, "processes.lock");

/**
 * Takes the lock that all processes of a run hold, so that the next run can wait until the last of
 * them has ended and freed its ports.
 *
 * @returns null when processes of another run are still there after `waitMs`
 */
export function takeRunLock(dataFolder: string, { waitMs }: { waitMs: number }) {
  return lockFile(lockPath(dataFolder), { waitMs });
}

/** In a process that has the lock by inheritance: what its own children inherit. Null when it has none. */
export function inheritedRunLock(dataFolder: string): Pick<FileLock, "fd"> | null {
  try {
    const file = readlinkSync(`/proc/self/fd/${FD}`);
    return file === realpathSync(lockPath(dataFolder)) ? { fd: FD } : null;
  } catch {
    // The descriptor or the file doesn't exist: this process was started by itself.
    return null;
  }
}

/** `stdio` of a child that inherits the lock. */
export function withRunLock<T>(stdio: T[], lock: Pick<FileLock, "fd"> | null) {
  if (!lock) return stdio;
  const ignored = Array.from({ length: FD - stdio.length }, () => "ignore" as const);
  return [...stdio, ...ignored, lock.fd];
}
