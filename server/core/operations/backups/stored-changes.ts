import { randomBytes } from "node:crypto";
import { readFile, realpath, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { sql } from "drizzle-orm";
import { z } from "zod";

import type { Config } from "#server/config.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

/** Storing changes takes at most one part of this many of the time. */
const REST = 20;

const shape = z.object({
  /** The name of the WAL stream. */
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

/** Seconds between restore points: more than the setting if storing one takes long, as with very many messages. */
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

const PREFIX = "posthouse_changes_";

/** More than the WAL of 100,000 emails. When the slot keeps more, the disk matters more than restore points. */
const KEPT_MAX_BYTES = 2 * 1024 ** 3;

/**
 * WAL without gaps, from the moment the stream started. A physical replication slot makes Postgres keep what isn't in the
 * repository yet. Copies of the cluster don't contain the slot, so a database that was restored or rolled back never continues a stream.
 */
export type WalStream = {
  /** The slot's name. */
  name: string;
  keptBytes: number;
  /** The first segment that the slot keeps. */
  first: string;
};

/** The position of a record's end. */
export type WalPosition = {
  lsn: string;
  /** The segment it is in, and how many bytes of it come before. */
  segment: string;
  bytes: number;
  /** Its first position. */
  segmentStart: string;
};

/** Null if there is no stream, or if Postgres no longer keeps its WAL. */
export async function readStream(db: Db): Promise<WalStream | null> {
  const [row] = await db.execute<WalStream>(sql`
    select slot_name as name, pg_walfile_name(restart_lsn + 1) as first,
      pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 as "keptBytes"
    from pg_replication_slots
    where slot_name like ${`${PREFIX}%`} and restart_lsn is not null and wal_status <> 'lost'`);
  return row ?? null;
}

/** Returns the name of the stream, which is a new one if there was none. */
export async function ensureStream(db: Db): Promise<string> {
  const stream = await readStream(db);
  if (stream) return stream.name;
  await endStream(db);
  const name = PREFIX + randomBytes(6).toString("hex");
  await db.execute(sql`select pg_create_physical_replication_slot(${name}, true)`);
  return name;
}

/** Lets Postgres delete the WAL. The next backup starts another stream. */
export async function endStream(db: Db): Promise<void> {
  await db.execute(sql`
    select pg_drop_replication_slot(slot_name) from pg_replication_slots
    where slot_name like ${`${PREFIX}%`} and not active`);
}

/** Ends the stream when its WAL isn't stored for so long that it would fill the disk. */
export async function limitKeptWal(db: Db, maxBytes = KEPT_MAX_BYTES): Promise<void> {
  const stream = await readStream(db);
  if (stream && stream.keptBytes > maxBytes) await endStream(db);
}

/** Writes a record to the WAL and flushes it. Returns the position after it. */
export async function markPosition(db: Db): Promise<WalPosition> {
  const [row] = await db.execute<WalPosition>(sql`
    with size as materialized (
      select setting::int8 as bytes from pg_settings where name = 'wal_segment_size'),
    mark as materialized (
      select pg_logical_emit_message(false, 'posthouse', 'changes', true) as lsn),
    place as (
      select lsn, size.bytes, mod(lsn - '0/0'::pg_lsn - 1, size.bytes) + 1 as used from mark, size)
    select lsn::text as lsn, pg_walfile_name(lsn) as segment, used::float8 as bytes,
      (lsn - used)::text as "segmentStart"
    from place`);
  return row!;
}

/**
 * The segments that the stream keeps before the one of a position.
 *
 * @throws Error if one is missing
 */
export async function segmentsBefore(
  db: Db,
  { first }: WalStream,
  { segment }: WalPosition,
): Promise<string[]> {
  const rows = await db.execute<{ name: string }>(sql`
    select name from pg_ls_waldir()
    where name ~ '^[0-9A-F]{24}$' and name >= ${first} and name < ${segment} order by name`);
  const names = rows.map(({ name }) => name);
  if (first < segment && names[0] !== first) throw new Error(`The WAL segment ${first} is missing`);
  return names;
}

/** Lets Postgres delete the WAL before a position. */
export async function advanceStream(db: Db, { name }: WalStream, lsn: string): Promise<void> {
  await db.execute(sql`select pg_replication_slot_advance(${name}, ${lsn}::pg_lsn)`);
}

/** Whether the database is the embedded one of this data folder. Only its files can be backed up. */
export async function hasEmbeddedDatabase(db: Db, dataFolder: string): Promise<boolean> {
  const [row] = await db.execute<{ folder: string | null }>(sql`
    select case when pg_has_role(current_user, 'pg_read_all_settings', 'usage')
      then current_setting('data_directory') end as folder`);
  const own = await realpath(join(dataFolder, "postgres")).catch(() => null);
  return (
    own !== null && row!.folder !== null && own === (await realpath(row!.folder).catch(() => ""))
  );
}
