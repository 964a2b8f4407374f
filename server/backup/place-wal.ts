import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, truncate } from "node:fs/promises";
import { join } from "node:path";

import { clusterFolder } from "#server/postgres/cluster.ts";

import { BackupError, backupFolders, type Manifest } from "./layout.ts";
import type { Restic, Snapshot } from "./restic.ts";

/** Size of each WAL segment: the default of initdb. */
const SEGMENT_BYTES = 16 * 1024 ** 2;

/**
 * Puts the WAL between a backup and a restore point into a restored cluster, cut off at the restore point. A server started on it
 * replays all of it.
 */
export async function placeWal(
  engine: Restic,
  target: string,
  { wal, position }: { wal: Snapshot[]; position: NonNullable<Manifest["position"]> },
): Promise<void> {
  const cluster = clusterFolder(target);
  const own = join(cluster, "pg_wal");
  const { wal: partial } = backupFolders(target);
  // The stream has it too, and as far as it was written later.
  await rm(own, { recursive: true, force: true });
  for (const { id } of wal) await engine.restore(id, target);
  await mkdir(own, { recursive: true, mode: 0o700 });
  // A segment that was the last one in one snapshot is complete in the next one.
  for (const name of existsSync(partial) ? await readdir(partial) : [])
    if (!existsSync(join(own, name))) await rename(join(partial, name), join(own, name));
  await rm(partial, { recursive: true, force: true });
  for (const name of await readdir(own)) if (name > position.segment) await rm(join(own, name));
  const last = join(own, position.segment);
  if (!existsSync(last))
    throw new BackupError(`The WAL segment ${position.segment} isn't in the repository`);
  await truncate(last, position.bytes);
  await truncate(last, SEGMENT_BYTES);
}
