import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import type { Config } from "#server/config.ts";
import {
  recordFailure,
  recordProved,
  recordStart,
  type StoredBackup,
} from "#server/core/operations/backups/backups.ts";
import {
  endStream,
  ensureStream,
  hasEmbeddedDatabase,
  readStoredChanges,
  storesChanges,
  writeStoredChanges,
} from "#server/core/operations/backups/stored-changes.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Connection, Db } from "#server/db/client.ts";
import { DISK_RESERVE_BYTES, diskUsage, freeBytesAt } from "#server/processes/machine.ts";
import { lockFile } from "#server/processes/run-lock.ts";

import { BackupError, backupFolders, megabytes } from "./layout.ts";
import { prove, proveChanges } from "./prove.ts";
import { openEngine, type Restic } from "./restic.ts";
import { type Made, type ShowStep, storeBackup, storeChanges } from "./store-backup.ts";

type Options = {
  /** A folder or URL; the setting `backup_to` if missing. */
  to?: string | undefined;
  step: ShowStep;
};

export type BackupReport = {
  repository: string;
  snapshot: string;
  stored: StoredBackup;
  proof: string;
  /** Only when this backup created the repository. */
  recoveryKey: string | null;
};

/** For changes that are being stored, or another step that needs the repository. */
const STORING_TIMEOUT_MS = 1_800_000;

/**
 * Backs up a running appliance, restores the backup into a scratch folder, and checks that copy. If changes were stored since the
 * backup before, the last of these restore points is checked in the same way.
 *
 * Order matters: first the database, then the mail. A message leaves the queue in the database only after Dovecot
 * has stored it, so it is in at least one of the two copies. After a restore it may be delivered twice, with the
 * same Message-ID.
 *
 * @throws BackupError, ResticError or RepositoryError with the reason
 */
export async function backUp(
  connection: Connection,
  { config, url }: { config: Config; url: string },
  { to, step }: Options,
): Promise<BackupReport> {
  const { dataFolder } = config;
  const { db } = connection;
  const folders = backupFolders(dataFolder);
  await requireEmbedded(connection, dataFolder);
  await mkdir(folders.own, { recursive: true, mode: 0o700 });
  const lock = await lockFile(folders.lock, { waitMs: 0 });
  if (!lock) throw new BackupError("Another backup is running");
  const settings = await readSettings(db);
  const destination = to ?? settings.backup_to;
  const { repository, key, engine } = openEngine(dataFolder, destination);
  const id = await recordStart(db, repository.name);
  const follows = destination === settings.backup_to && (await storesChanges(db, config));
  let stored: StoredBackup | null = null;
  try {
    const { isNew, changes, made } = await alone(folders.storing, async () => {
      let isNew = false as boolean;
      await step("Repository", async () => {
        isNew = await engine.prepare();
        await requireSpace(dataFolder, isNew ? repository.folder : null);
        return `${repository.name}${isNew ? " (new)" : ""}`;
      });
      // If this fails, nothing is missing: the new backup has the same changes.
      const changes = follows
        ? await storeChanges(connection, { config, engine }).catch(() => null)
        : null;
      const stream = follows ? await ensureStream(db) : null;
      const made = await storeBackup(connection, { config, url, id, stream, engine, step });
      if (stream) await followBackup(dataFolder, { stream, destination, id, made });
      return { isNew, changes, made };
    });
    stored = made.stored;
    let proof = "";
    await step("Verification", async () => {
      proof = await prove(dataFolder, engine, made);
      await alone(folders.storing, () => engine.check(partOf(made.time), PARTS));
      return proof;
    });
    await recordProved(db, id, { ...stored, proof });
    if (changes)
      await step("Restore points", () =>
        proveReplay(db, {
          dataFolder,
          engine,
          snapshot: changes,
          databaseBytes: made.databaseBytes,
        }),
      );
    // Only after verification: a backup that can't be restored must not replace one that can.
    const {
      backup_keep_daily: daily,
      backup_keep_weekly: weekly,
      backup_keep_monthly: monthly,
    } = settings;
    await step("Retention", async () => {
      const isApplied = await alone(folders.storing, () =>
        engine.retain({ daily, weekly, monthly }),
      );
      if (!isApplied) return "not applied: the repository is append-only";
      return `all of the last 2 days, and the last one of ${pluralize(daily, "day")}, ${pluralize(weekly, "week")}, ${pluralize(monthly, "month")}`;
    });
    return {
      repository: repository.name,
      snapshot: made.filesSnapshot,
      stored,
      proof,
      recoveryKey: isNew ? key : null,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await recordFailure(db, id, { error: reason, stored });
    throw error;
  } finally {
    lock.release();
  }
}

/** Each verification reads one of this many parts of the repository, so every byte is read within four weeks. */
const PARTS = 28;

const partOf = (time: Date) => (Math.floor(time.getTime() / 86_400_000) % PARTS) + 1;

/** Runs `work` while no changes are being stored. */
async function alone<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = await lockFile(file, { waitMs: STORING_TIMEOUT_MS });
  if (!lock)
    throw new BackupError("Changes were still being stored after 30 minutes. Run the backup again");
  try {
    return await work();
  } finally {
    lock.release();
  }
}

type Replay = { dataFolder: string; engine: Restic; snapshot: string; databaseBytes: number };

/** Ends the stream if it can't be replayed, so that changes follow a new backup. */
async function proveReplay(db: Db, { dataFolder, engine, ...made }: Replay): Promise<string> {
  try {
    return await proveChanges(dataFolder, engine, made);
  } catch (error) {
    await endStream(db);
    throw error;
  }
}

async function requireEmbedded({ db }: Connection, dataFolder: string): Promise<void> {
  if (await hasEmbeddedDatabase(db, dataFolder)) return;
  throw new BackupError(
    "DATABASE_URL names an external database, whose files can't be copied. Back it up with its own tools " +
      "(pg_dump or your provider's snapshots), then the data folder",
  );
}

/**
 * Keeps a backup from filling the appliance's disk.
 *
 * @param newRepository folder of a new local repository, which can grow to the size of the data; null otherwise
 */
async function requireSpace(dataFolder: string, newRepository: string | null): Promise<void> {
  const copied = newRepository === null ? [] : ["postgres", "mail"];
  const sizes = await Promise.all(copied.map((name) => diskUsage(join(dataFolder, name)))).catch(
    (cause: unknown) => {
      throw new BackupError("The size of the data can't be measured", { cause });
    },
  );
  const needed = sizes.reduce((sum, bytes) => sum + bytes, 0);
  const free = await freeBytesAt(newRepository ?? dataFolder);
  if (free - needed < DISK_RESERVE_BYTES)
    throw new BackupError(
      `Only ${megabytes(free)} of disk space is free. A backup here needs ${megabytes(needed + DISK_RESERVE_BYTES)}`,
    );
}

/** Lets changes be stored after a backup in the repository of `backup_to`. */
async function followBackup(
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
    stream,
    destination,
    backupId: id,
    at,
    triedAt: at,
    seconds: 0,
    error: null,
    wal: isSame ? before.wal : null,
    mail: made.filesSnapshot,
  });
}
