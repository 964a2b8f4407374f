import { readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";

import { type FileLock, lockFile } from "./file-lock.ts";

/**
 * Our processes inherit the lock at this descriptor, next to the IPC channel: Node.js keeps its own children
 * from inheriting the descriptors that follow each other from 0 on. So only who is given the lock holds it.
 */
const OWN_FD = 4;
/** Other programs inherit it at this one. High, since Dovecot uses low ones for itself. */
const SERVICE_FD = 100;

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
    const file = readlinkSync(`/proc/self/fd/${OWN_FD}`);
    return file === realpathSync(lockPath(dataFolder)) ? { fd: OWN_FD } : null;
  } catch {
    // The descriptor or the file doesn't exist: this process was started by itself.
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
