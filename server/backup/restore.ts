import { closeSync, constants, existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { chown, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import {
  clusterFolder,
  hasCluster,
  passwordFile,
  restoreMarker,
} from "#server/postgres/cluster.ts";
import { openNoFollow } from "#server/processes/open-no-follow.ts";
import { syncFolder } from "#server/processes/sync-folder.ts";

import { BackupError } from "./backup-error.ts";
import { findRestorePoint } from "./find-backup.ts";
import type { CopyReport } from "./inspect-copy.ts";
import type { Manifest } from "./layout.ts";
import { inspect } from "./prove.ts";
import { makeOwn } from "./make-own.ts";
import type { Restic } from "./restic.ts";
import { restoreCopy } from "./restore-copy.ts";

/**
 * Age of a restore point from which a restore puts outgoing mail on hold, because it may have been sent since then. With
 * `at`, mail is always put on hold.
 */
const HOLD_AGE_MS = 10 * 60_000;

/** What a backup restores, in the order in which it is put in place: the database last, because it makes the folder usable. */
const RESTORED = ["keys", "tls", "mail", "rspamd", "postgres.password", "postgres"];
/** What is moved aside: also what belongs to the old database, such as an upgrade of it that isn't completed. */
const REPLACED = [
  ...["upgrade.json", "postgres.prepared-copy", "postgres.before-upgrade", "dovecot"],
  ...RESTORED.toReversed(),
];
/** What is replaced only with `replace`; the rest can be created again. */
const PRECIOUS = new Set(["keys", "mail", "postgres", "postgres.before-upgrade"]);

export type RestoreReport = {
  manifest: Manifest;
  copy: CopyReport;
  /** Where the data that was there before is now. */
  previous: string | null;
};

export type RestoreOptions = {
  /** Which restore point; the last one by default (see findRestorePoint). */
  at: string | undefined;
  /** Whether to move existing data aside; otherwise it is an error. */
  replace: boolean;
};

/**
 * Finds what would prevent a restore, without changing anything: a wrong key, an unreachable repository, a missing restore
 * point, or existing data without `replace`.
 *
 * @throws BackupError or ResticError
 */
export async function checkRestore(
  engine: Restic,
  dataFolder: string,
  { at, replace }: RestoreOptions,
): Promise<void> {
  requireReplaceable(dataFolder, replace);
  await findRestorePoint(engine, at);
}

/**
 * Restores a whole data folder that no appliance uses. Nothing is moved before the restored copy has started and passed its
 * checks. If it fails and there is no database, Posthouse doesn't create one there. The outgoing mail of companies with
 * mail waiting is put on hold, unless `at` is undefined and the restore point is less than ten minutes old.
 *
 * @throws BackupError
 */
export async function restoreEverything(
  engine: Restic,
  dataFolder: string,
  { at, replace, now }: RestoreOptions & { now: Date },
): Promise<RestoreReport> {
  const present = requireReplaceable(dataFolder, replace);
  const copy = join(dataFolder, "restoring");
  const cluster = clusterFolder(dataFolder);
  await setMarker(cluster);
  try {
    await rm(copy, { recursive: true, force: true });
    const manifest = await restoreCopy(engine, copy, await findRestorePoint(engine, at));
    // All mailboxes: this also indexes messages that arrived just after the index was copied.
    const stores = Object.keys(manifest.stores);
    const holdsMail = at !== undefined || now.getTime() - Date.parse(manifest.time) > HOLD_AGE_MS;
    const report = await inspectKept(copy, { stores, holdsMail });
    await keepSshFiles(dataFolder, copy);
    const previous = await moveAside(dataFolder, present, now);
    for (const name of RESTORED) {
      if (!existsSync(join(copy, name))) continue;
      await rm(join(dataFolder, name), { recursive: true, force: true });
      await rename(join(copy, name), join(dataFolder, name));
    }
    // Read by the supervisor only.
    if (process.getuid!() === 0) await chown(passwordFile(cluster), 0, 0);
    return { manifest, copy: report, previous };
  } finally {
    if (await hasCluster(cluster)) await rm(restoreMarker(cluster), { force: true });
    await rm(copy, { recursive: true, force: true });
  }
}

/** What is there and would be replaced. */
function requireReplaceable(dataFolder: string, replace: boolean): string[] {
  const present = REPLACED.filter((name) => hasContent(join(dataFolder, name)));
  if (replace || !present.some((name) => PRECIOUS.has(name))) return present;
  throw new BackupError(
    `${dataFolder} already has data. Use --replace to move it to a folder beside the restored data, or set POSTHOUSE_DATA to a new folder`,
  );
}

async function setMarker(cluster: string): Promise<void> {
  const marker = restoreMarker(cluster);
  await rm(marker, { force: true });
  await writeFile(marker, "", { mode: 0o600, flag: "wx" });
  await syncFolder(dirname(marker));
}

async function inspectKept(
  copy: string,
  options: { stores: string[]; holdsMail: boolean },
): Promise<CopyReport> {
  try {
    return await inspect(copy, { ...options, isKept: true });
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    throw new BackupError(
      `${error.message}. Nothing was replaced. To restore an earlier backup, list them with --list and choose one with --at`,
      { cause: error },
    );
  }
}

/** In `keys` of a new data folder: what SFTP needs to reach the repository. */
const SSH_FILES = new Set(["backup_ssh_key", "backup_known_hosts"]);

/** An empty folder, such as `keys` in a new data folder, isn't data. */
function hasContent(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found !== undefined;
  return readdirSync(path).some((name) => !SSH_FILES.has(name));
}

/** This host reaches the repository with them; the host of the backup may have had others. */
async function keepSshFiles(dataFolder: string, copy: string): Promise<void> {
  for (const name of SSH_FILES) {
    const from = join(dataFolder, "keys", name);
    const found = lstatSync(from, { throwIfNoEntry: false });
    if (!found?.isFile()) continue;
    const text = readNoFollow(from);
    const to = join(copy, "keys", name);
    await rm(to, { force: true });
    await writeFile(to, text, { mode: 0o600, flag: "wx" });
    await chown(to, found.uid, found.gid);
  }
}

function readNoFollow(file: string): string {
  const fd = openNoFollow(file, constants.O_RDONLY);
  try {
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

async function moveAside(dataFolder: string, names: string[], now: Date): Promise<string | null> {
  if (names.length === 0) return null;
  const aside = join(
    dataFolder,
    `before-restore-${now.toISOString().slice(0, 19).replaceAll(":", "")}`,
  );
  await makeOwn(aside);
  for (const name of names) await rename(join(dataFolder, name), join(aside, name));
  return aside;
}
