import {
  chmodSync,
  copyFileSync,
  type Dirent,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";

import { INDEX_FOLDER, INDEX_MARK } from "#server/gateways/mail-store.ts";

import { BackupError, backupFolders, SPAM_DATA, WEBMAIL_DATABASE } from "./layout.ts";

/**
 * sdbox writes a message under a temporary name and renames it to `u.<uid>` when it is complete. It never changes
 * afterwards, so a hard link is a copy.
 */
const MESSAGE = /^u\.\d+$/;

/** Dovecot's caches and locks, and messages that aren't complete yet. */
const SKIPPED = /^(dovecot\.index\.cache|temp\..*|\.temp\..*|.*\.lock|.*\.tmp|.*\.newlock)$/;

/**
 * The order in which Dovecot's own readers, which take no locks, open a folder's index: changes that happen meanwhile are in a
 * file read later, never missing from both.
 */
const INDEX_ORDER = ["dovecot.index", "dovecot.index.log", "dovecot.index.log.2"];

/**
 * Makes a consistent copy of a mail store while Dovecot uses it: hard links to the messages, copies of the small files.
 * Takes microseconds per message and no disk space.
 *
 * Messages are linked before and after the index is copied. The first pass has every message that is expunged
 * meanwhile, the second every one that arrives, so the index in the copy names no message that isn't there.
 *
 * @returns the number of messages
 */
function copyStore(from: string, to: string): number {
  const entries = entriesOf(from);
  if (entries === null) return 0;
  mkdirSync(to, { recursive: true, mode: 0o700 });
  linkMessages(from, to, entries);
  copyOthers(from, to, entries);
  // Read again, so that messages and folders created meanwhile are included.
  const later = entriesOf(from) ?? [];
  linkMessages(from, to, later);
  let messages = readdirSync(to).filter((name) => MESSAGE.test(name)).length;
  for (const entry of later)
    if (entry.isDirectory() && entry.name !== INDEX_FOLDER)
      messages += copyStore(join(from, entry.name), join(to, entry.name));
  return messages;
}

function linkMessages(from: string, to: string, entries: Dirent[]): void {
  for (const { name } of entries)
    if (MESSAGE.test(name)) linkMessage(join(from, name), join(to, name));
}

function copyOthers(from: string, to: string, entries: Dirent[]): void {
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const others = files.filter(
    (name) => !MESSAGE.test(name) && !SKIPPED.test(name) && name !== INDEX_MARK,
  );
  for (const name of inReadingOrder(others)) copySmall(join(from, name), join(to, name));
  for (const entry of entries)
    if (entry.isSymbolicLink()) copyLink(join(from, entry.name), join(to, entry.name));
}

/** Null for a folder that was removed meanwhile. */
function entriesOf(folder: string): Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isErrno(error, "ENOENT")) return null;
    throw error;
  }
}

function inReadingOrder(names: string[]): string[] {
  const place = (name: string) => INDEX_ORDER.indexOf(name);
  return names.toSorted((a, b) => place(a) - place(b));
}

function linkMessage(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    // Linked in the first pass, or expunged since it was listed.
    if (isErrno(error, "EEXIST") || isErrno(error, "ENOENT")) return;
    throw error;
  }
}

function copySmall(from: string, to: string): void {
  try {
    copyFileSync(from, to);
    // restic doesn't read a file again whose size and times haven't changed.
    const { atime, mtime, mode } = lstatSync(from);
    utimesSync(to, atime, mtime);
    chmodSync(to, mode);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
  }
}

function copyLink(from: string, to: string): void {
  try {
    symlinkSync(readlinkSync(from), to);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
  }
}

const isErrno = (error: unknown, code: string) =>
  error instanceof Error && "code" in error && error.code === code;

const FILES = ["learned.sqlite", "ham.sqlite", "spam.sqlite"];

/**
 * Copies the databases of the spam filter and of webmail while they are in use.
 *
 * @returns the paths of the copies, relative to the data folder
 * @throws BackupError if webmail's database can't be read
 */
export async function copyDatabases(dataFolder: string): Promise<string[]> {
  const { spamCopy, webmailCopy } = backupFolders(dataFolder);
  for (const path of [spamCopy, webmailCopy]) await rm(path, { recursive: true, force: true });
  const copied = (await copySpamData(dataFolder, spamCopy)) ? [spamCopy] : [];
  const webmail = join(dataFolder, WEBMAIL_DATABASE);
  if (existsSync(webmail)) {
    if (!(await copyDatabase(webmail, webmailCopy)))
      throw new BackupError(`Webmail's database, ${webmail}, can't be read`);
    copied.push(webmailCopy);
  }
  return copied.map((path) => relative(dataFolder, path));
}

/** Leaves out a file that can't be read instead of failing the backup, because the filter can relearn it. */
async function copySpamData(dataFolder: string, spamCopy: string): Promise<boolean> {
  let isAny = false;
  for (const name of FILES) {
    const file = join(dataFolder, SPAM_DATA, name);
    if (!existsSync(file)) continue;
    mkdirSync(spamCopy, { recursive: true, mode: 0o700 });
    isAny = (await copyDatabase(file, join(spamCopy, name))) || isAny;
  }
  return isAny;
}

async function copyDatabase(from: string, to: string): Promise<boolean> {
  try {
    using database = new DatabaseSync(from, { readOnly: true });
    await backup(database, to);
    return true;
  } catch {
    await rm(to, { force: true });
    return false;
  }
}

/** Copies all mail stores to `mail/.backup`. Returns the number of messages in each, by `<domain>/<user>`. */
export async function copyStores(dataFolder: string): Promise<Record<string, number>> {
  const mail = join(dataFolder, "mail");
  const { mailCopy } = backupFolders(dataFolder);
  if (existsSync(mail) && lstatSync(mail).isSymbolicLink())
    throw new BackupError(
      `${mail} is a symbolic link. Mount the other disk there instead, and run the backup again`,
    );
  await rm(mailCopy, { recursive: true, force: true });
  mkdirSync(mailCopy, { recursive: true, mode: 0o700 });
  const stores: Record<string, number> = {};
  for (const domain of foldersIn(mail)) {
    mkdirSync(join(mailCopy, domain), { mode: 0o700 });
    for (const name of foldersIn(join(mail, domain))) {
      const store = `${domain}/${name}`;
      stores[store] = copyStore(join(mail, store), join(mailCopy, store));
    }
  }
  return stores;
}

const foldersIn = (folder: string) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name);
