import { accessSync, constants, ftruncateSync, statSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

import { CommandError } from "#server/cli/failures.ts";
import { acquireRunLock, type FileLock, isLocked, lockFile } from "#server/processes/run-lock.ts";
import { createFolder, readNoFollow, setFolderMode } from "#server/processes/open-no-follow.ts";

/** Outlasts commands that only check the lock. */
const WAIT_MS = 1_000;
/** Time for a stopped or killed run to exit. */
const END_TIMEOUT_MS = 30_000;
const STOPPING = "stopping";

/** Locked by the supervisor of a data folder; contains its process ID and host. */
const supervisorFile = (dataFolder: string) => join(dataFolder, "posthouse.pid");

export type DataFolderClaim = {
  /** Inherited by every process of this run. */
  runLock: FileLock;
  /** Records that this run is stopping, so that the next start waits instead of failing. */
  recordStopping(): void;
  release: () => void;
};

/**
 * Creates the data folder if it is missing and locks it for this process: one supervisor a folder.
 * Waits for a run that is stopping, or whose supervisor was killed, until its last process has ended.
 *
 * @throws CommandError if it can't be used or is in use
 */
export async function claimDataFolder(dataFolder: string): Promise<DataFolderClaim> {
  makeUsable(dataFolder);
  requireOwnFiles(dataFolder);
  const file = supervisorFile(dataFolder);
  const lock =
    (await lockFile(file, { waitMs: WAIT_MS })) ??
    (isStopping(file) ? await lockFile(file, { waitMs: END_TIMEOUT_MS }) : null);
  if (!lock)
    throw new CommandError(
      `${dataFolder} is in use: posthouse already runs there (${readName(file)}). Stop it, or set POSTHOUSE_DATA to another folder`,
    );
  const runLock = await acquireRunLock(dataFolder, { waitMs: END_TIMEOUT_MS });
  if (!runLock) {
    lock.release();
    throw new CommandError(
      `${dataFolder} is in use: processes of an earlier run are still running. Stop them, or set POSTHOUSE_DATA to another folder`,
    );
  }
  const name = `pid ${process.pid} on ${hostname()}`;
  writeName(lock.fd, name);
  return {
    runLock,
    recordStopping: () => writeName(lock.fd, `${name}, ${STOPPING}`),
    release: () => {
      runLock.release();
      lock.release();
    },
  };
}

const isStopping = (file: string) => readName(file).endsWith(STOPPING);

function writeName(fd: number, name: string): void {
  try {
    ftruncateSync(fd);
    writeSync(fd, `${name}\n`);
  } catch {
    // Informational only: a full disk must not keep the appliance from starting or stopping.
  }
}

/** The supervisor of a data folder, even in another container, as "pid 7 on mail"; null when none is running. */
export async function findSupervisor(dataFolder: string): Promise<string | null> {
  const file = supervisorFile(dataFolder);
  return (await isLocked(file)) ? readName(file) : null;
}

const readName = (file: string) => readNoFollow(file).trim();

/** Files that this process must be able to read. Started as another user, it would fail later with a vaguer error. */
const OWN_FILES = ["keys/instance.key", "posthouse.pid", "postgres.lock", "postgres.password"];

function requireOwnFiles(dataFolder: string): void {
  for (const name of OWN_FILES) {
    const file = join(dataFolder, name);
    try {
      accessSync(file, constants.R_OK | constants.W_OK);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") continue;
      throw new CommandError(
        `${file} can't be opened by this user (uid ${process.getuid!()}): it belongs to another user. ` +
          "Start Posthouse as that user, or change the owner of the data folder",
        { cause: error },
      );
    }
  }
}

function makeUsable(dataFolder: string): void {
  try {
    createFolder(dataFolder, { mode: 0o755 });
    if (!statSync(dataFolder).isDirectory()) throw new Error("not a folder");
    accessSync(dataFolder, constants.R_OK | constants.W_OK | constants.X_OK);
    createFolder(join(dataFolder, "keys"), { mode: 0o755 });
    setFolderMode(join(dataFolder, "keys"), 0o700);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`POSTHOUSE_DATA: ${dataFolder} cannot be used (${reason})`, {
      cause: error,
    });
  }
}
