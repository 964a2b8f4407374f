import { statfs } from "node:fs/promises";

const MB = 1024 * 1024;

/** `max_wal_size` of the embedded Postgres: what its log may still grow to after nothing new is accepted. */
export const WAL_SIZE_MAX_MB = 1_024;

/** Free space below which nothing new is accepted: what was accepted must still be written, delivered and recorded. */
export const DISK_RESERVE_BYTES = (WAL_SIZE_MAX_MB + 256) * MB;

/** Bytes that this process may still write on the disk of a folder. */
export async function freeBytesAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
