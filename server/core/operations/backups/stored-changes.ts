import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { z } from "zod";

import type { Config } from "#server/config.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

import { hasEmbeddedDatabase } from "./has-embedded-database.ts";
import { endStream, limitKeptWal, readStream } from "./wal-stream.ts";

/** Storing changes takes at most one part of this many of the time. */
const REST = 20;

const shape = z.object({
  /** The WAL stream; see wal-stream.ts. */
  stream: z.string(),
  /** The value of `backup_to` when the backup was stored that they follow. */
  destination: z.string(),
  backupId: z.string(),
  /** The newest snapshot of the WAL, and its first segment; null if the next one is independent of it. */
  wal: z.object({ snapshot: z.string(), first: z.string() }).nullable(),
  /** The newest snapshot of the mail. */
  mail: z.string().nullable(),
  /** The newest restore point. */
  at: z.iso.datetime(),
  /** The last attempt. */
  triedAt: z.iso.datetime(),
  seconds: z.number(),
  error: z.string().nullable(),
});

/** How far the changes since the last backup are stored, in a file of the data folder. */
export type StoredChanges = z.output<typeof shape>;

const fileIn = (dataFolder: string) => join(dataFolder, "backup/changes.json");

/** Null before the first backup. */
export async function readStoredChanges(dataFolder: string): Promise<StoredChanges | null> {
  const text = await readFile(fileIn(dataFolder), "utf8").catch(() => null);
  return text === null ? null : shape.parse(JSON.parse(text));
}

export async function writeStoredChanges(dataFolder: string, changes: StoredChanges) {
  const file = fileIn(dataFolder);
  await writeFile(`${file}.new`, JSON.stringify(changes), { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}

/**
 * Whether changes are stored between backups: if backups go to a place of their own. A copy of all WAL on the appliance's disk
 * would only fill it.
 */
export async function storesChanges(
  db: Db,
  { dataFolder }: Pick<Config, "dataFolder">,
): Promise<boolean> {
  const { backup_to: to, backup_changes_minutes: minutes } = await readSettings(db);
  if (to === "off" || to === "local" || minutes === 0) return false;
  return hasEmbeddedDatabase(db, dataFolder);
}

/** Seconds between restore points. More than the setting if storing them takes long, as with very many messages. */
export const secondsBetween = (minutes: number, { seconds }: Pick<StoredChanges, "seconds">) =>
  Math.max(minutes * 60, seconds * REST);

/** Whether changes can be stored: there is a backup to follow in the current destination, and no WAL since then is missing. */
export async function followsBackup(db: Db, dataFolder: string): Promise<boolean> {
  const stored = await readStoredChanges(dataFolder);
  const { backup_to: destination } = await readSettings(db);
  if (stored?.destination !== destination) return false;
  return stored.stream === (await readStream(db))?.name;
}

/**
 * Whether a restore point is due. Also ends a stream that isn't wanted any more or keeps too much WAL.
 *
 * @param now compared with the time of the last attempt
 */
export async function areChangesDue(
  db: Db,
  { dataFolder }: Pick<Config, "dataFolder">,
  now: Date,
): Promise<boolean> {
  if (!(await storesChanges(db, { dataFolder }))) {
    if (await hasEmbeddedDatabase(db, dataFolder)) await endStream(db);
    return false;
  }
  await limitKeptWal(db);
  if (!(await followsBackup(db, dataFolder))) return false;
  const stored = (await readStoredChanges(dataFolder))!;
  const { backup_changes_minutes: minutes } = await readSettings(db);
  return now.getTime() - Date.parse(stored.triedAt) >= secondsBetween(minutes, stored) * 1000;
}
