import {
  readStoredChanges,
  writeStoredChanges,
} from "#server/core/operations/backups/stored-changes.ts";

import type { Made } from "./store-backup.ts";

/** Lets changes be stored after a backup in the repository of `backup_to`. */
export async function followBackup(
  dataFolder: string,
  {
    stream,
    destination,
    id,
    made,
  }: { stream: string; destination: string; id: string; made: Made },
): Promise<void> {
  const before = await readStoredChanges(dataFolder);
  const isSame = before?.stream === stream && before.destination === destination;
  const at = made.time.toISOString();
  await writeStoredChanges(dataFolder, {
    ...{ stream, destination, backupId: id, at, triedAt: at, seconds: 0, error: null },
    ...{ wal: isSame ? before.wal : null, mail: made.filesSnapshot },
  });
}
