import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import type { Config } from "#server/config.ts";
import {
  recordFailure,
  recordProved,
  recordStart,
  type StoredBackup,
} from "#server/core/operations/backups/record-backup.ts";
import { hasEmbeddedDatabase } from "#server/core/operations/backups/has-embedded-database.ts";
import { getVersion } from "#server/core/platform/processes/register-process.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { pluralize } from "#server/core/shared/pluralize.ts";
import { readOrCreateSecret } from "#server/core/shared/secrets/read-or-create-secret.ts";
import type { Connection } from "#server/db/client.ts";
import { DISK_RESERVE_BYTES, freeBytesAt } from "#server/processes/disk-reserve.ts";
import { lockFile } from "#server/processes/file-lock.ts";
import { enterBackupMode, NOT_COPIED } from "#server/postgres/base-backup.ts";

import { BackupError } from "./backup-error.ts";
import { copySpamData } from "./copy-spam-data.ts";
import { copyStores } from "./copy-stores.ts";
import { incomplete, newest } from "./find-backup.ts";
import { backupFolders, keyFile, MAIL_COPY, type Manifest, PLAIN_PATHS, TAGS } from "./layout.ts";
import { prove } from "./prove.ts";
import { readRepository, type Repository } from "./repository.ts";
import { type Restic, restic } from "./restic.ts";
import { sumTables, unchanged } from "./table-sums.ts";

type Options = {
  /** A folder or URL; the setting `backup_to` if missing. */
  to?: string | undefined;
  /** Shows a step, and what it found. */
  step: (title: string, work: () => Promise<string>) => Promise<void>;
};

export type BackupReport = {
  repository: string;
  snapshot: string;
  stored: StoredBackup;
  proof: string;
  /** Only when this backup created the repository. */
  recoveryKey: string | null;
};

/**
 * Backs up a running appliance, restores the backup into a scratch folder, and checks that copy.
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
  const folders = backupFolders(dataFolder);
  await requireEmbedded(connection, dataFolder);
  await mkdir(folders.own, { recursive: true, mode: 0o700 });
  const lock = await lockFile(folders.lock, { waitMs: 0 });
  if (!lock) throw new BackupError("Another backup is running");
  const settings = await readSettings(connection.db);
  const repository = chooseRepository(to ?? settings.backup_to, dataFolder);
  const id = await recordStart(connection.db, repository.name);
  let stored: StoredBackup | null = null;
  try {
    const key = readOrCreateSecret(keyFile(dataFolder));
    const engine = restic({
      ...{ repository, key, cacheFolder: folders.cache, keysFolder: join(dataFolder, "keys") },
      paths: [folders.own, join(dataFolder, "postgres"), join(dataFolder, "mail")],
    });
    let isNew = false as boolean;
    await step("Repository", async () => {
      isNew = await engine.prepare();
      await requireSpace(dataFolder, isNew ? repository.folder : null);
      return `${repository.name}${isNew ? " (new)" : ""}`;
    });
    const made = await store(connection, { config, url, id, engine, step });
    stored = made.stored;
    const proof = await proveStored(dataFolder, { engine, made, step });
    await recordProved(connection.db, id, { ...stored, proof });
    // Only after verification: a backup that can't be restored must not replace one that can.
    const {
      backup_keep_daily: daily,
      backup_keep_weekly: weekly,
      backup_keep_monthly: monthly,
    } = settings;
    await step("Retention", async () => {
      await engine.retain({ daily, weekly, monthly });
      return `all of the last 2 days, and the last one of ${pluralize(daily, "day")}, ${pluralize(weekly, "week")}, ${pluralize(monthly, "month")}`;
    });
    return {
      ...{ repository: repository.name, snapshot: made.filesSnapshot, stored, proof },
      recoveryKey: isNew ? key : null,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await recordFailure(connection.db, id, { error: reason, stored });
    throw error;
  } finally {
    for (const folder of [folders.mailCopy, folders.spamCopy])
      await rm(folder, { recursive: true, force: true });
    lock.release();
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
 * @param empty a new repository's folder, which will take at most the size of the data; null for others
 */
async function requireSpace(dataFolder: string, empty: string | null): Promise<void> {
  const needed = empty === null ? 0 : await sizeOf(["postgres", "mail"], dataFolder);
  const free = await freeBytesAt(empty ?? dataFolder);
  if (free - needed < DISK_RESERVE_BYTES)
    throw new BackupError(
      `Only ${megabytes(free)} of disk space is free. A backup here needs ${megabytes(needed + DISK_RESERVE_BYTES)}`,
    );
}

async function sizeOf(paths: string[], folder: string): Promise<number> {
  // du fails if a file vanishes meanwhile, but still prints the sum.
  const du = promisify(execFile)("du", ["-sbc", ...paths], { cwd: folder });
  const stdout = await du.then(
    (done) => done.stdout,
    (error: unknown) => (error as { stdout?: string }).stdout ?? "",
  );
  return Number(/^(\d+)\ttotal$/m.exec(stdout)?.[1] ?? 0);
}

function chooseRepository(to: string, dataFolder: string): Repository {
  if (to === "off")
    throw new BackupError(
      "No destination: use --to, or set one with `posthouse settings set backup_to FOLDER|URL`",
    );
  return readRepository(to === "local" ? backupFolders(dataFolder).repository : to);
}

type Made = { filesSnapshot: string; databaseBytes: number; stored: StoredBackup };

async function store(
  connection: Connection,
  {
    config,
    url,
    id,
    engine,
    step,
  }: { config: Config; url: string; id: string; engine: Restic; step: Options["step"] },
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
        ...{ folder: dataFolder, paths: ["postgres"], tag: TAGS.database, time, vanishing: true },
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
        ...{ version: 1, id, time: time.toISOString(), tables, stores },
        appliance: { hostname: config.hostname, version: getVersion() },
        databaseSnapshot: database!.snapshot,
      };
      await writeNew(folders.manifest, JSON.stringify(manifest));
      await writeNew(folders.label, label);
      const hasSpamData = await copySpamData(dataFolder);
      await writeNew(folders.password, decodeURIComponent(new URL(url).password));
      const plain = PLAIN_PATHS.filter((path) => existsSync(join(dataFolder, path)));
      files = await engine.backUp({
        folder: dataFolder,
        paths: [
          ...["backup/manifest.json", "backup/backup_label", "backup/postgres.password"],
          ...[MAIL_COPY, ...plain, ...(hasSpamData ? ["backup/spam"] : [])],
          ...segments.map((name) => `postgres/pg_wal/${name}`),
        ],
        ...{ tag: TAGS.files, time, parent: newest(earlier, TAGS.files) },
      });
      return `${pluralize(total(stores), "message")} in ${pluralize(Object.keys(stores).length, "mailbox", "mailboxes")}, ${megabytes(files.bytesAdded)} new`;
    });
    const stored = {
      messages: total(stores),
      totalBytes: database!.bytes + files!.bytes,
      addedBytes: database!.bytesAdded + files!.bytesAdded,
    };
    return { stored, filesSnapshot: files!.snapshot, databaseBytes: database!.bytes };
  } finally {
    await mode.close();
  }
}

async function proveStored(
  dataFolder: string,
  { engine, made, step }: { engine: Restic; made: Made; step: Options["step"] },
): Promise<string> {
  let proof = "";
  await step("Verification", async () => {
    proof = await prove(dataFolder, engine, made);
    return proof;
  });
  return proof;
}

async function writeNew(file: string, text: string): Promise<void> {
  await rm(file, { force: true });
  await writeFile(file, text, { mode: 0o600, flag: "wx" });
}

const total = (stores: Record<string, number>) =>
  Object.values(stores).reduce((sum, count) => sum + count, 0);

const megabytes = (bytes: number) =>
  bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
