import { chmod, lstat, mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { findSupervisor } from "#server/cli/start/claim-data-folder.ts";
import { freeBytesAt } from "#server/processes/machine.ts";
import { removeTree } from "#server/processes/open-no-follow.ts";
import { isRunLocked } from "#server/processes/run-lock.ts";

const IN_MEMORY = "/dev/shm";
const PREFIX = "posthouse-test-server-";
/** More than a test run writes. */
const FREE_BYTES_MIN = 1024 ** 3;

/** Settings of a Postgres whose data is deleted again. */
export const EPHEMERAL = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_wal_size: "256MB",
  wal_keep_size: "0",
};

/** Creates a data folder that is deleted again: in memory if there is room, otherwise among the temporary files. */
export async function createTestFolder(): Promise<string> {
  const parent = (await hasRoom(IN_MEMORY)) ? IN_MEMORY : tmpdir();
  const folder = await mkdtemp(join(parent, PREFIX));
  // The services' user needs access when root starts them.
  if (process.getuid!() === 0) await chmod(folder, 0o711);
  return folder;
}

export const deleteTestFolder = (folder: string) => removeTree(folder);

/** Younger folders may not be locked yet. */
const YOUNG_MS = 60_000;

/** Deletes this user's folders of test servers and test runs that were killed, and whose processes have all ended. */
export async function deleteAbandonedFolders(parents = [IN_MEMORY, tmpdir()]): Promise<void> {
  for (const parent of parents)
    for (const name of await readdir(parent).catch(() => [])) {
      if (!name.startsWith(PREFIX)) continue;
      const folder = join(parent, name);
      // Others may have deleted it meanwhile, and not being able to clean up is no reason not to start.
      if (await isAbandoned(folder).catch(() => false))
        await deleteTestFolder(folder).catch(() => {});
    }
}

async function isAbandoned(folder: string): Promise<boolean> {
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.getuid!()) return false;
  if (Date.now() - found.birthtimeMs < YOUNG_MS) return false;
  return (await findSupervisor(folder)) === null && !(await isRunLocked(folder));
}

async function hasRoom(folder: string): Promise<boolean> {
  try {
    return (await freeBytesAt(folder)) >= FREE_BYTES_MIN;
  } catch {
    return false;
  }
}
