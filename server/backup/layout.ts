import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { CALENDARS } from "#server/gateways/calendar-store.ts";

/**
 * Tags of snapshots. The two of a backup, `database` and `files`, have the same time, so the retention keeps them together. Restore
 * points after it consist of `wal` and `changes`, which contains the mail. The second tag of a snapshot names its WAL stream.
 */
export const TAGS = {
  database: "database",
  files: "files",
  wal: "wal",
  changes: "changes",
} as const;

/** Where a backup's copy of the mail is made, on the same file system as the mail. No domain can have this name. */
export const MAIL_COPY = "mail/.backup";

/** What the spam filter has learned. */
export const SPAM_DATA = "rspamd/state";

/** Roundcube's settings, signatures and personal contacts. */
export const WEBMAIL_DATABASE = "webmail/roundcube.db";
/** Where a restore puts it. Webmail moves it into place when it starts, because it owns the database. */
export const RESTORED_WEBMAIL = "webmail/restored.db";

/** The folder of backups in the data folder. */
export const backupFolders = (dataFolder: string) => {
  const own = join(dataFolder, "backup");
  return {
    own,
    lock: join(own, "lock"),
    /** Held while the mail is being copied and stored, and while the repository must not be written to by anything else. */
    storing: join(own, "storing.lock"),
    /** The part of the current WAL segment that is stored. */
    wal: join(own, "wal"),
    cache: join(own, "cache"),
    /** Stored with each backup. */
    manifest: join(own, "manifest.json"),
    label: join(own, "backup_label"),
    password: join(own, "postgres.password"),
    /** Where a backup is restored for verification. */
    proof: join(own, "proof"),
    /** The repository unless the operator chose another one. */
    repository: join(own, "repository"),
    mailCopy: join(dataFolder, MAIL_COPY),
    spamCopy: join(own, "spam"),
    webmailCopy: join(own, "webmail.db"),
    /** Held while one mailbox is restored. */
    mailboxLock: join(own, "mailbox.lock"),
  };
};

export const keyFile = (dataFolder: string) => join(dataFolder, "keys/backup.key");

/** Paths below the data folder that are stored as they are, if they exist. */
export const PLAIN_PATHS = ["keys", "tls", CALENDARS];

/** Radicale's cache, and files that are being written. Only there: a mail folder can have any name. */
export const NOT_STORED = [".Radicale.cache", ".Radicale.lock", ".Radicale.tmp-*", ".new-*"].map(
  (pattern) => `${CALENDARS}/**/${pattern}`,
);

/** Rows of a table, and a hash over all of them. */
export type TableSum = { rows: number; hash: string };

/** Describes a backup, and what a restored copy must contain. */
export type Manifest = {
  version: 1;
  /** Id of the row in `backups`. */
  id: string;
  time: string;
  appliance: { hostname: string; version: string };
  /** Missing in a restore point after a backup. */
  databaseSnapshot?: string;
  /** Where a restore point after the backup ends in the WAL; missing in a backup. */
  position?: { lsn: string; segment: string; bytes: number };
  /** Tables that didn't change around the time of the backup, so a copy must match exactly. */
  tables: Record<string, TableSum>;
  /** Number of message files in each mail store, `<domain>/<user>`. */
  stores: Record<string, number>;
};

/** An expected failure of a backup or a restore; the message is shown to the user as it is. */
export class BackupError extends Error {
  override name = "BackupError";
}

/** Replaces a file that only the service user can read. */
export async function writeNew(file: string, content: string | Uint8Array): Promise<void> {
  await rm(file, { force: true });
  await writeFile(file, content, { mode: 0o600, flag: "wx" });
}

/** A size for display, in MB or GB. */
export const megabytes = (bytes: number) =>
  bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
