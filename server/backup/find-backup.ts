import { BackupError, TAGS } from "./layout.ts";
import type { Restic, Snapshot } from "./restic.ts";

/** A time that everything can be restored to: a backup, or the changes stored some minutes to hours after it. */
export type RestorePoint = {
  /** The snapshot with the mail and the manifest. */
  id: string;
  time: string;
  /** The second snapshot of the backup. */
  base: Snapshot;
  /** The WAL since then, oldest first. Empty for a backup. */
  wal: Snapshot[];
};

/** The complete backups, oldest first. Each is known by the id of its second snapshot. */
function completeIn(all: Snapshot[]): Snapshot[] {
  const databases = new Set(all.filter(({ tag }) => tag === TAGS.database).map(({ time }) => time));
  return withTag(all, TAGS.files).filter(({ time }) => databases.has(time));
}

/** Everything that a repository can be restored to, oldest first. */
export async function listRestorePoints(engine: Restic): Promise<RestorePoint[]> {
  const all = await engine.list();
  const bases = completeIn(all);
  const wal = withTag(all, TAGS.wal);
  const changes = withTag(all, TAGS.changes).flatMap(({ id, time, stream }) => {
    const base = bases.findLast((each) => each.stream === stream && each.time < time);
    if (!base) return [];
    const since = wal.filter((each) => each.stream === stream && each.time > base.time);
    const last = since.findIndex((each) => each.time >= time);
    return last === -1 ? [] : [{ id, time, base, wal: since.slice(0, last + 1) }];
  });
  return [
    ...bases.map((base) => ({ id: base.id, time: base.time, base, wal: [] })),
    ...changes,
  ].sort(byAge);
}

/**
 * Chooses a restore point.
 *
 * @param at a time, for the last restore point before it, or the beginning of a backup's id; the last restore point by default
 * @throws BackupError if there is none
 */
export async function findRestorePoint(engine: Restic, at?: string): Promise<RestorePoint> {
  const all = await listRestorePoints(engine);
  if (all.length === 0) throw new BackupError("The repository has no complete backup");
  const found = at === undefined ? all.at(-1) : (byId(all, at) ?? byTime(all, at));
  if (found) return found;
  const { time } = all[0]!;
  throw new BackupError(
    `No backup matches "${at}". The first one is from ${time}; see posthouse restore --list`,
  );
}

const byId = (all: RestorePoint[], at: string) =>
  /^[0-9a-f]{8,}$/.test(at) ? all.find(({ id }) => id.startsWith(at)) : undefined;

function byTime(all: RestorePoint[], at: string): RestorePoint | undefined {
  const moment = Date.parse(at);
  return all.findLast(({ time }) => Date.parse(time) <= moment);
}

const byAge = (a: { time: string }, b: { time: string }) => a.time.localeCompare(b.time);

const withTag = (snapshots: Snapshot[], tag: string) =>
  snapshots.filter((snapshot) => snapshot.tag === tag).sort(byAge);

/** Snapshots of incomplete backups, which have only the first of two. */
export function incomplete(snapshots: Snapshot[]): string[] {
  const times = new Set(withTag(snapshots, TAGS.files).map(({ time }) => time));
  return withTag(snapshots, TAGS.database)
    .filter(({ time }) => !times.has(time))
    .map(({ id }) => id);
}

/** The last snapshot with a tag; null if there is none. */
export const newest = (snapshots: Snapshot[], tag: string) =>
  withTag(snapshots, tag).at(-1)?.id ?? null;
