import { BackupError } from "./backup-error.ts";
import { TAGS } from "./layout.ts";
import type { Restic, Snapshot } from "./restic.ts";

/** The complete backups in a repository, oldest first. Each is known by the id of its second snapshot. */
export async function listBackups(engine: Restic): Promise<Snapshot[]> {
  const all = await engine.list();
  const databases = new Set(all.filter(({ tag }) => tag === TAGS.database).map(({ time }) => time));
  return all
    .filter(({ tag, time }) => tag === TAGS.files && databases.has(time))
    .toSorted((a, b) => a.time.localeCompare(b.time));
}

/**
 * Chooses a backup.
 *
 * @param at a time, for the last backup before it, or the beginning of a backup's id; the last one by default
 * @throws BackupError if there is none
 */
export async function findBackup(engine: Restic, at?: string): Promise<Snapshot> {
  const all = await listBackups(engine);
  if (all.length === 0) throw new BackupError("The repository has no complete backup");
  const found = at === undefined ? all.at(-1) : (byId(all, at) ?? byTime(all, at));
  if (found) return found;
  const { time } = all[0]!;
  throw new BackupError(
    `No backup matches "${at}". The first one is from ${time}; see posthouse restore --list`,
  );
}

const byId = (all: Snapshot[], at: string) =>
  /^[0-9a-f]{8,}$/.test(at) ? all.find(({ id }) => id.startsWith(at)) : undefined;

function byTime(all: Snapshot[], at: string): Snapshot | undefined {
  const moment = Date.parse(at);
  return all.findLast(({ time }) => Date.parse(time) <= moment);
}

/** Snapshots of incomplete backups, which have only the first of two. */
export function incomplete(snapshots: Snapshot[]): string[] {
  const times = new Set(snapshots.filter(({ tag }) => tag === TAGS.files).map(({ time }) => time));
  return snapshots
    .filter(({ tag, time }) => tag === TAGS.database && !times.has(time))
    .map(({ id }) => id);
}

/** The last snapshot with a tag; null if there is none. */
export const newest = (snapshots: Snapshot[], tag: string) =>
  snapshots
    .filter((snapshot) => snapshot.tag === tag)
    .toSorted((a, b) => a.time.localeCompare(b.time))
    .at(-1)?.id ?? null;
