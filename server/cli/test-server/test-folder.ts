import { chmod, mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IN_MEMORY = "/dev/shm";
/** More than a test run writes. */
const FREE_BYTES_MIN = 1024 ** 3;

/** Creates a data folder that is deleted again: in memory if there is room, otherwise among the temporary files. */
export async function createTestFolder(): Promise<string> {
  const parent = (await hasRoom(IN_MEMORY)) ? IN_MEMORY : tmpdir();
  const folder = await mkdtemp(join(parent, "posthouse-test-server-"));
  // The service user, as which root runs the services, must get in.
  if (process.getuid!() === 0) await chmod(folder, 0o711);
  return folder;
}

export const deleteTestFolder = (folder: string) =>
  rm(folder, { recursive: true, force: true, maxRetries: 5 });

async function hasRoom(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= FREE_BYTES_MIN;
  } catch {
    return false;
  }
}
