import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { totalmem } from "node:os";
import { promisify } from "node:util";

const MB = 1024 * 1024;

/** `max_wal_size` of the embedded Postgres: how far the WAL may still grow after new mail is refused. */
export const WAL_SIZE_MAX_MB = 1_024;

/**
 * Free space below which no new mail is accepted, so that accepted mail can still be written, delivered and
 * recorded.
 */
export const DISK_RESERVE_BYTES = (WAL_SIZE_MAX_MB + 256) * MB;

/** Free bytes available to this process on a folder's disk. */
export const freeBytesAt = async (folder: string): Promise<number> =>
  (await diskSpaceAt(folder)).freeBytes;

export type DiskSpace = { freeBytes: number; sizeBytes: number };

/** The size of a folder's disk, and what is available to this process. */
export async function diskSpaceAt(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}

/** Bytes that a folder takes on the disk, 0 if it doesn't exist. `excluded` is a pattern for names, as du(1) takes it. */
export async function diskUsage(folder: string, excluded?: string): Promise<number> {
  const options = ["--summarize", "--block-size=1"];
  if (excluded !== undefined) options.push(`--exclude=${excluded}`);
  // du exits with 1 if files are deleted meanwhile, and prints the sum all the same.
  const script = 'du "$@" 2>/dev/null || test $? -eq 1';
  const { stdout } = await promisify(execFile)("sh", ["-c", script, "du", ...options, folder]);
  return Number(stdout.split("\t")[0]);
}

/** The machine's memory in bytes, or a container's memory limit if it has one. */
export const machineMemory = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Infinity);
