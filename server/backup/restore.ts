import { execFile } from "node:child_process";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { CALENDARS } from "#server/gateways/calendar-store.ts";
import { clusterFolder, hasCluster, restoreMarker } from "#server/postgres/cluster.ts";
import {
  copyFile,
  createFolder,
  readNoFollow,
  removeFile,
  removeTree,
  rename,
} from "#server/processes/open-no-follow.ts";
import {
  createPrivateFile,
  replacePrivateFile,
  syncFolder,
} from "#server/processes/private-file.ts";
import { asServiceUser } from "#server/processes/service-user.ts";

import { BackupError, type Manifest, RESTORED_WEBMAIL } from "./layout.ts";
import { makeOwn } from "./prepare.ts";
import { findRestorePoint } from "./find-backup.ts";
import { type CopyReport, restoreCopy } from "./restored-copy.ts";
import { inspect } from "./prove.ts";
import type { Restic } from "./restic.ts";

/**
 * Age of a restore point from which a restore puts outgoing mail on hold, because it may have been sent since then. With
 * `at`, mail is always put on hold.
 */
const HOLD_AGE_MS = 10 * 60_000;

/** What a backup restores, in the order in which it is put in place: the database last, because it makes the folder usable. */
const RESTORED = ["keys", "tls", "mail", "rspamd", "postgres.password", "postgres"];
/** What is moved aside: also what belongs to the old database, such as an upgrade of it that isn't completed. */
const REPLACED = [
  "upgrade.json",
  "postgres.prepared-copy",
  "postgres.before-upgrade",
  "dovecot",
  ...RESTORED.toReversed(),
];
/** What is replaced only with `replace`; the rest can be created again. */
const PRECIOUS = new Set(["keys", "mail", "postgres", "postgres.before-upgrade"]);

/** What a restore made and checked before it replaced anything. */
export type RestoredCopy = { manifest: Manifest; copy: CopyReport };

export type RestoreReport = RestoredCopy & {
  /** Where the data that was there before is now. */
  previous: string | null;
  /** The programs whose data was restored. */
  companions: ("webmail" | "calendar")[];
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

/** Where a restore makes its copy. */
const restoringFolder = (dataFolder: string) => join(dataFolder, "restoring");

/**
 * Restores a restore point into a folder beside the data and checks it: Postgres has started on it, and all mail can be read.
 * The outgoing mail of companies with mail waiting is put on hold, unless `at` is undefined and the restore point is less than
 * ten minutes old. Not for root, which must not work in a folder that the services can write to.
 *
 * @throws BackupError
 */
export async function makeCheckedCopy(
  engine: Restic,
  dataFolder: string,
  { at, now }: { at: string | undefined; now: Date },
): Promise<RestoredCopy> {
  const folder = restoringFolder(dataFolder);
  const manifest = await restoreCopy(engine, folder, await findRestorePoint(engine, at));
  // All mailboxes: this also indexes messages that arrived just after the index was copied.
  const stores = Object.keys(manifest.stores);
  const holdsMail = at !== undefined || now.getTime() - Date.parse(manifest.time) > HOLD_AGE_MS;
  return { manifest, copy: await inspectKept(folder, { stores, holdsMail }) };
}

/**
 * Restores a whole data folder that no appliance uses. Nothing is moved before the restored copy has started and passed its
 * checks. If it fails and there is no database, Posthouse doesn't create one there.
 *
 * @param makeCopy makes the copy, as makeCheckedCopy does
 * @throws BackupError
 */
export async function restoreEverything(
  dataFolder: string,
  { replace, now }: { replace: boolean; now: Date },
  makeCopy: () => Promise<RestoredCopy>,
): Promise<RestoreReport> {
  const present = requireReplaceable(dataFolder, replace);
  const copy = restoringFolder(dataFolder);
  const cluster = clusterFolder(dataFolder);
  await setMarker(cluster);
  try {
    await removeTree(copy);
    await makeOwn(copy);
    const made = await makeCopy();
    const sshFiles = readSshFiles(dataFolder);
    const previous = moveAside(dataFolder, present, now);
    for (const name of RESTORED) {
      if (!existsSync(join(copy, name))) continue;
      await removeTree(join(dataFolder, name));
      rename(join(copy, name), join(dataFolder, name));
    }
    const companions: RestoreReport["companions"] = [];
    if (placeWebmail(copy, dataFolder)) companions.push("webmail");
    if (await placeCalendars(copy, dataFolder)) companions.push("calendar");
    for (const [name, text] of sshFiles) {
      const file = join(dataFolder, "keys", name);
      removeFile(file);
      createPrivateFile(file, text);
    }
    return { ...made, previous, companions };
  } finally {
    if (await hasCluster(cluster)) removeFile(restoreMarker(cluster));
    await removeTree(copy);
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
  replacePrivateFile(marker, "");
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

/** Copies webmail's database into its folder, which can be on another disk and belongs to another user. */
function placeWebmail(copy: string, dataFolder: string): boolean {
  if (!existsSync(join(copy, RESTORED_WEBMAIL))) return false;
  const target = join(dataFolder, RESTORED_WEBMAIL);
  createFolder(dirname(target));
  copyFile(join(copy, RESTORED_WEBMAIL), target, 0o644);
  return true;
}

/** Copies calendars and contacts, because their folder can be on another disk. Existing ones are moved to `previous`. */
async function placeCalendars(copy: string, dataFolder: string): Promise<boolean> {
  const from = join(copy, CALENDARS, "collection-root");
  if (!existsSync(from)) return false;
  await makeOwn(join(dataFolder, CALENDARS));
  const script = `cd "$2"
rm -rf previous
if [ -e collection-root ]; then mv collection-root previous; fi
cp -a "$1" .`;
  const { command, args } = await asServiceUser(
    { command: "sh", args: ["-ec", script, "sh", from, join(dataFolder, CALENDARS)] },
    { paths: [from], deathSignal: "TERM" },
  );
  await promisify(execFile)(command, args, { cwd: "/" });
  return true;
}

/** An empty folder, such as `keys` in a new data folder, isn't data. */
function hasContent(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found !== undefined;
  return readdirSync(path).some((name) => !SSH_FILES.has(name));
}

/** This host reaches the repository with them; the host of the backup may have had others. */
function readSshFiles(dataFolder: string): [name: string, text: string][] {
  return [...SSH_FILES]
    .filter((name) => existsSync(join(dataFolder, "keys", name)))
    .map((name) => [name, readNoFollow(join(dataFolder, "keys", name))]);
}

function moveAside(dataFolder: string, names: string[], now: Date): string | null {
  if (names.length === 0) return null;
  const aside = join(
    dataFolder,
    `before-restore-${now.toISOString().slice(0, 19).replaceAll(":", "")}`,
  );
  createFolder(aside);
  for (const name of names) rename(join(dataFolder, name), join(aside, name));
  return aside;
}
