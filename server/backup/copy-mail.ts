import {
  chmodSync,
  copyFileSync,
  type Dirent,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";

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
export function copyStore(from: string, to: string): number {
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
    if (entry.isDirectory()) messages += copyStore(join(from, entry.name), join(to, entry.name));
  return messages;
}

function linkMessages(from: string, to: string, entries: Dirent[]): void {
  for (const { name } of entries)
    if (MESSAGE.test(name)) linkMessage(join(from, name), join(to, name));
}

function copyOthers(from: string, to: string, entries: Dirent[]): void {
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const others = files.filter((name) => !MESSAGE.test(name) && !SKIPPED.test(name));
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
