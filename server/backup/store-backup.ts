import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

import type { Config } from "#server/config.ts";
import type { StoredBackup } from "#server/core/operations/backups/backups.ts";
import { softwareVersion } from "#server/processes/software-version.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Connection } from "#server/db/client.ts";
import { enterBackupMode, NOT_COPIED } from "#server/postgres/base-backup.ts";

import { copySpamData, copyStores } from "./copy-mail.ts";
import { incomplete, newest } from "./find-backup.ts";
import {
  backupFolders,
  MAIL_COPY,
  type Manifest,
  megabytes,
  PLAIN_PATHS,
  TAGS,
  writeNew,
} from "./layout.ts";
import type { Restic } from "./restic.ts";
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
      const hasSpamData = await copySpamData(dataFolder);
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
          ...(hasSpamData ? ["backup/spam"] : []),
          ...segments.map((name) => `postgres/pg_wal/${name}`),
        ],
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
    for (const folder of [folders.mailCopy, folders.spamCopy])
      await rm(folder, { recursive: true, force: true });
    await mode.close();
  }
}

const total = (stores: Record<string, number>) =>
  Object.values(stores).reduce((sum, count) => sum + count, 0);
