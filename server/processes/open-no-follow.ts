import { execFile } from "node:child_process";
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

// What root does below the data folder, in folders that the service user can write to. That user could replace any part of a
// path by a symbolic link, even between two system calls, and so make root read, write, delete or give away other files. So
// root opens each folder of a path in turn, and then works in the open folder. Other users use the paths as they are.

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
/** As in path_resolution(7). */
const LINKS_MAX = 40;

/** A symbolic link where Posthouse expects its own file or folder. */
class SymbolicLinkError extends Error {
  constructor(path: string) {
    super(`${path} is a symbolic link, which may lead out of the data folder. Remove it`);
  }
}

/** An open folder. Paths below `path` stay in it, whatever happens to its name. */
export type OpenFolder = Disposable & { path: string; fd: number | null };

/**
 * Opens a folder. For root, links on the way must be root's own: links to folders are common, for example to another disk.
 *
 * @throws SymbolicLinkError
 */
export function openFolder(folder: string): OpenFolder {
  if (process.getuid!() !== 0) return { path: folder, fd: null, [Symbol.dispose]: () => {} };
  let left = partsOf(resolve(folder));
  let links = 0;
  let fd = openSync("/", O_RDONLY | O_DIRECTORY);
  const enter = (path: string) => {
    const before = fd;
    fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    closeSync(before);
  };
  try {
    while (left.length > 0) {
      const path = `/proc/self/fd/${fd}/${left[0]}`;
      const target = linkTarget(path, folder);
      left = [...partsOf(target ?? ""), ...left.slice(1)];
      if (target === null) enter(path);
      else if (++links > LINKS_MAX) throw new SymbolicLinkError(folder);
      else if (target.startsWith("/")) enter("/");
    }
    return openedAs(fd);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

const partsOf = (path: string) => path.split("/").filter(Boolean);

/** The kernel resolves names below this path in the folder that is open. */
const openedAs = (fd: number): OpenFolder => ({
  path: `/proc/self/fd/${fd}`,
  fd,
  [Symbol.dispose]: () => closeSync(fd),
});

/** Where a link of root leads; null if it isn't a link. */
function linkTarget(path: string, folder: string): string | null {
  const found = lstatSync(path);
  if (!found.isSymbolicLink()) return null;
  if (found.uid !== 0) throw new SymbolicLinkError(folder);
  return readlinkSync(path);
}

const isErrno = (error: unknown, code: string) =>
  error instanceof Error && "code" in error && error.code === code;

/**
 * Opens a file of the data folder without following a symbolic link.
 *
 * @param flags of open(2)
 * @throws SymbolicLinkError
 */
export function openNoFollow(file: string, flags: number, mode?: number): number {
  using folder = openFolder(dirname(file));
  try {
    return openSync(join(folder.path, basename(file)), flags | O_NOFOLLOW, mode);
  } catch (error) {
    throw isErrno(error, "ELOOP") ? new SymbolicLinkError(file) : error;
  }
}

/**
 * Reads a text file of the data folder. Root doesn't follow symbolic links, which would lead others to files that only root may
 * read.
 *
 * @throws SymbolicLinkError
 */
export function readNoFollow(file: string): string {
  if (process.getuid!() !== 0) return readFileSync(file, "utf8");
  const fd = openNoFollow(file, O_RDONLY);
  try {
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

type Creation = {
  /** The owner of what is created, if this process is root. */
  owner?: { uid: number; gid: number };
  mode?: number;
};

/**
 * Creates a folder and those above it, with mode 0700 by default. An existing one stays as it is.
 *
 * @throws SymbolicLinkError
 */
export function createFolder(folder: string, { owner, mode = 0o700 }: Creation = {}): void {
  if (process.getuid!() === 0) openOrCreate(resolve(folder), { owner, mode })[Symbol.dispose]();
  else mkdirSync(folder, { recursive: true, mode });
}

function openOrCreate(
  folder: string,
  creation: { owner: Creation["owner"]; mode: number },
): OpenFolder {
  try {
    return openFolder(folder);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
  }
  const { owner, mode } = creation;
  using parent = openOrCreate(dirname(folder), creation);
  const path = join(parent.path, basename(folder));
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (isErrno(error, "EEXIST")) return openFolder(folder);
    throw error;
  }
  try {
    const opened = openedAs(openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    // Root's, so that it is the new one, or an empty one that its parent's owner could delete anyway.
    if (owner && fstatSync(opened.fd!).uid === 0) fchownSync(opened.fd!, owner.uid, owner.gid);
    return opened;
  } catch (error) {
    // What open(2) answers for a link in place of a folder.
    throw isErrno(error, "ENOTDIR") ? new SymbolicLinkError(folder) : error;
  }
}

/** Changes the mode of a folder, not of what a symbolic link leads to. */
export function setFolderMode(folder: string, mode: number): void {
  const fd = openNoFollow(folder, O_RDONLY | O_DIRECTORY);
  try {
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}

/**
 * Changes the owner of files, folders or sockets, if this process is root. Never follows a symbolic link. Works by name, because
 * sockets can't be opened.
 *
 * @throws SymbolicLinkError if a folder on the way is a link
 */
export function giveTo({ uid, gid }: { uid: number; gid: number }, ...paths: string[]): void {
  if (process.getuid!() !== 0) return;
  for (const path of paths) {
    using folder = openFolder(dirname(path));
    lchownSync(join(folder.path, basename(path)), uid, gid);
  }
}

/** Copies a small file, and replaces an existing one. Doesn't follow symbolic links. */
export function copyFile(from: string, to: string, mode: number): void {
  removeFile(to);
  const source = openNoFollow(from, O_RDONLY);
  const target = openNoFollow(to, O_WRONLY | O_CREAT | O_EXCL, mode);
  writeFileSync(target, readFileSync(source));
  fchmodSync(target, mode);
  closeSync(source);
  closeSync(target);
}

/** Renames a file or folder, on the same file system. A symbolic link is renamed itself. */
export function rename(from: string, to: string): void {
  using source = openFolder(dirname(from));
  using target = openFolder(dirname(to));
  renameSync(join(source.path, basename(from)), join(target.path, basename(to)));
}

/** Deletes a file, or a symbolic link, if there is one. */
export function removeFile(file: string): void {
  using folder = openFolderIfThere(dirname(file));
  if (folder) rmSync(join(folder.path, basename(file)), { force: true });
}

/** Deletes a folder with everything in it, or a file, if there is one. Never follows a link. */
export async function removeTree(path: string): Promise<void> {
  using folder = openFolderIfThere(dirname(path));
  if (!folder) return;
  if (folder.fd === null) await rm(path, { recursive: true, force: true });
  // Node.js deletes by path; rm(1) opens each folder without following links.
  else await promisify(execFile)("rm", ["-rf", "--", `./${basename(path)}`], { cwd: folder.path });
}

function openFolderIfThere(folder: string): OpenFolder | null {
  try {
    return openFolder(folder);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return null;
    throw error;
  }
}
