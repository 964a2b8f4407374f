import { existsSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";

import type { Config } from "#server/config.ts";
import type { StoredBackup } from "#server/core/operations/backups/backups.ts";
import {
  advanceStream,
  endStream,
  followsBackup,
  markPosition,
  readStoredChanges,
  readStream,
  segmentsBefore,
  type StoredChanges,
  type WalPosition,
  writeStoredChanges,
} from "#server/core/operations/backups/stored-changes.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Connection } from "#server/db/client.ts";
import { enterBackupMode, NOT_COPIED } from "#server/postgres/base-backup.ts";
import { lockFile } from "#server/processes/run-lock.ts";
import { softwareVersion } from "#server/processes/software-version.ts";

import { copyDatabases, copyStores } from "./copy-mail.ts";
import { incomplete, newest } from "./find-backup.ts";
import {
  BackupError,
  backupFolders,
  MAIL_COPY,
  type Manifest,
  megabytes,
  NOT_STORED,
  PLAIN_PATHS,
  TAGS,
  writeNew,
} from "./layout.ts";
import { openEngine, type Restic } from "./restic.ts";
import { sumTables, unchanged } from "./restored-copy.ts";

/** Shows a step, and what it found. */
export type ShowStep = (title: string, work: () => Promise<string>) => Promise<void>;

export type Made = {
  time: Date;
  filesSnapshot: string;
  databaseBytes: number;
  stored: StoredBackup;
};

type Options = {
  config: Config;
  url: string;
  /** ID of the record in `backups`. */
  id: string;
  /** The WAL stream, if changes are stored after this backup. */
  stream: string | null;
  engine: Restic;
  step: ShowStep;
};

/** Stores the two snapshots of a backup: first the database, then the mail. */
export async function storeBackup(
  connection: Connection,
  { config, url, id, stream, engine, step }: Options,
): Promise<Made> {
  const { dataFolder } = config;
  const folders = backupFolders(dataFolder);
  const earlier = await engine.list();
  await engine.forget(incomplete(earlier));
  const time = new Date();
  const mode = await enterBackupMode(url);
  try {
    let database: Awaited<ReturnType<Restic["backUp"]>> | undefined;
    await step("Database", async () => {
      database = await engine.backUp({
        folder: dataFolder,
        paths: ["postgres"],
        tag: TAGS.database,
        stream,
        time,
        vanishing: true,
        exclude: NOT_COPIED.map((pattern) =>
          pattern.includes("/") ? `postgres/${pattern}` : pattern,
        ),
        // Everything is read: Postgres can change a page without changing the file's size or, within a few milliseconds, its time.
        parent: null,
      });
      return `${megabytes(database.bytes)}, ${megabytes(database.bytesAdded)} new`;
    });
    const before = await sumTables(connection);
    const { label, segments } = await mode.finish();
    const tables = unchanged(before, await sumTables(connection));

    let stores: Record<string, number> = {};
    let files: Awaited<ReturnType<Restic["backUp"]>> | undefined;
    await step("Mail", async () => {
      stores = await copyStores(dataFolder);
      const manifest: Manifest = {
        version: 1,
        id,
        time: time.toISOString(),
        tables,
        stores,
        appliance: { hostname: config.hostname, version: softwareVersion() },
        databaseSnapshot: database!.snapshot,
      };
      await writeNew(folders.manifest, JSON.stringify(manifest));
      await writeNew(folders.label, label);
      const databases = await copyDatabases(dataFolder);
      await writeNew(folders.password, decodeURIComponent(new URL(url).password));
      const plain = PLAIN_PATHS.filter((path) => existsSync(join(dataFolder, path)));
      files = await engine.backUp({
        folder: dataFolder,
        paths: [
          "backup/manifest.json",
          "backup/backup_label",
          "backup/postgres.password",
          MAIL_COPY,
          ...plain,
          ...databases,
          ...segments.map((name) => `postgres/pg_wal/${name}`),
        ],
        exclude: NOT_STORED,
        // Events and contacts can be deleted meanwhile.
        vanishing: true,
        tag: TAGS.files,
        stream,
        time,
        parent: newest(earlier, TAGS.files),
      });
      return `${pluralize(total(stores), "message")} in ${pluralize(Object.keys(stores).length, "mailbox", "mailboxes")}, ${megabytes(files.bytesAdded)} new`;
    });
    const stored = {
      messages: total(stores),
      totalBytes: database!.bytes + files!.bytes,
      addedBytes: database!.bytesAdded + files!.bytesAdded,
    };
    return { time, stored, filesSnapshot: files!.snapshot, databaseBytes: database!.bytes };
  } finally {
    for (const folder of [folders.mailCopy, folders.spamCopy, folders.webmailCopy])
      await rm(folder, { recursive: true, force: true });
    await mode.close();
  }
}

const total = (stores: Record<string, number>) =>
  Object.values(stores).reduce((sum, count) => sum + count, 0);

/** As much WAL as Postgres keeps anyway (wal_keep_size). A snapshot with more isn't replaced by the next one. */
const SEGMENTS_MAX = 16;

/** Stores changes in the repository of `backup_to`, unless something else is being stored. */
export async function storeDueChanges(connection: Connection, config: Config): Promise<void> {
  const lock = await lockFile(backupFolders(config.dataFolder).storing, { waitMs: 0 });
  if (!lock) return;
  try {
    const { backup_to: to } = await readSettings(connection.db);
    const { engine } = openEngine(config.dataFolder, to);
    await storeChanges(connection, { config, engine });
  } finally {
    lock.release();
  }
}

/**
 * Stores what changed since the last backup, as a restore point: the WAL, then the mail, in the order of a backup.
 *
 * Each WAL snapshot starts where the previous one did and replaces it, until it is large, because restoring takes a second per
 * snapshot. Only then may Postgres delete its segments.
 *
 * The caller holds the lock `storing`.
 *
 * @returns the snapshot with the mail; null if there is no backup that changes could follow
 * @throws BackupError or ResticError
 */
export async function storeChanges(
  connection: Connection,
  { config, engine }: { config: Config; engine: Restic },
): Promise<string | null> {
  const { dataFolder } = config;
  if (!(await followsBackup(connection.db, dataFolder))) return null;
  const before = (await readStoredChanges(dataFolder))!;
  const time = new Date();
  try {
    if (before.error) await recover(engine, before);
    const position = await storeWal(connection, { dataFolder, engine, before, time });
    return await storeMail({ config, engine, time, position });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const reached = (await readStoredChanges(dataFolder))!;
    await writeStoredChanges(dataFolder, {
      ...reached,
      triedAt: time.toISOString(),
      error: reason,
    });
    throw error;
  } finally {
    const { mailCopy, spamCopy, webmailCopy, wal } = backupFolders(dataFolder);
    for (const folder of [mailCopy, spamCopy, webmailCopy, wal])
      await rm(folder, { recursive: true, force: true });
  }
}

/** A command that was killed leaves a lock, and a snapshot may have been deleted by hand. */
async function recover(engine: Restic, stored: StoredChanges): Promise<void> {
  await engine.unlock();
  const all = await engine.list();
  const isPresent = (snapshot: string) => all.some(({ id }) => id.startsWith(snapshot));
  if (stored.wal && !isPresent(stored.wal.snapshot)) stored.wal = null;
  if (stored.mail && !isPresent(stored.mail)) stored.mail = null;
}

type Around = { dataFolder: string; engine: Restic; before: StoredChanges; time: Date };

async function storeWal(
  { db }: Connection,
  { dataFolder, engine, before, time }: Around,
): Promise<WalPosition> {
  const stream = (await readStream(db))!;
  const position = await markPosition(db);
  const segments = await segmentsBefore(db, stream, position).catch(async (error: unknown) => {
    await endStream(db);
    throw new BackupError(`${String(error)}. Changes are stored again after the next backup`, {
      cause: error,
    });
  });
  await copyPart(dataFolder, position);
  const { snapshot } = await engine.backUp({
    folder: dataFolder,
    paths: [...segments.map((name) => `postgres/pg_wal/${name}`), `backup/wal/${position.segment}`],
    tag: TAGS.wal,
    stream: stream.name,
    time,
    parent: before.wal?.snapshot ?? null,
  });
  const isLarge = segments.length >= SEGMENTS_MAX;
  const wal = isLarge ? null : { snapshot, first: stream.first };
  await writeStoredChanges(dataFolder, { ...before, wal });
  if (isLarge) await advanceStream(db, stream, position.segmentStart);
  // If this fails, restoring only takes longer.
  if (before.wal?.first === stream.first)
    await engine.forget([before.wal.snapshot]).catch(() => {});
  return position;
}

/** Postgres still writes to the segment. What comes before the position doesn't change. */
async function copyPart(dataFolder: string, { segment, bytes }: WalPosition): Promise<void> {
  const { wal } = backupFolders(dataFolder);
  await rm(wal, { recursive: true, force: true });
  await mkdir(wal, { mode: 0o700 });
  const source = await open(join(dataFolder, "postgres/pg_wal", segment));
  try {
    const { buffer } = await source.read(Buffer.alloc(bytes), 0, bytes, 0);
    await writeNew(join(wal, segment), buffer);
  } finally {
    await source.close();
  }
}

type Point = { config: Config; engine: Restic; time: Date; position: WalPosition };

async function storeMail({ config, engine, time, position }: Point): Promise<string> {
  const { dataFolder, hostname } = config;
  const before = (await readStoredChanges(dataFolder))!;
  const { lsn, segment, bytes } = position;
  const manifest: Manifest = {
    version: 1,
    id: before.backupId,
    time: time.toISOString(),
    tables: {},
    stores: await copyStores(dataFolder),
    position: { lsn, segment, bytes },
    appliance: { hostname, version: softwareVersion() },
  };
  await writeNew(backupFolders(dataFolder).manifest, JSON.stringify(manifest));
  const databases = await copyDatabases(dataFolder);
  const plain = PLAIN_PATHS.filter((path) => existsSync(join(dataFolder, path)));
  const { snapshot } = await engine.backUp({
    folder: dataFolder,
    paths: ["backup/manifest.json", MAIL_COPY, ...plain, ...databases],
    exclude: NOT_STORED,
    vanishing: true,
    tag: TAGS.changes,
    stream: before.stream,
    time,
    parent: before.mail,
  });
  const at = time.toISOString();
  const seconds = (Date.now() - time.getTime()) / 1000;
  await writeStoredChanges(dataFolder, {
    ...before,
    mail: snapshot,
    at,
    triedAt: at,
    seconds,
    error: null,
  });
  return snapshot;
}
