import { randomBytes } from "node:crypto";
import { closeSync, fchownSync, fstatSync, linkSync, openSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { openFolder, removeFile, rename } from "./open-no-follow.ts";

/**
 * Creates a file with mode 0600. If root creates it, it gets its folder's owner, because the services run
 * as another user and must be able to read it.
 *
 * @param owner instead of its folder's
 * @throws EEXIST if the file exists, even as a symbolic link
 */
export function createPrivateFile(
  file: string,
  text: string,
  owner?: { uid: number; gid: number },
): void {
  using folder = openFolder(dirname(file));
  const fd = openSync(join(folder.path, basename(file)), "wx", 0o600);
  try {
    if (folder.fd !== null) {
      const { uid, gid } = owner ?? fstatSync(folder.fd);
      fchownSync(fd, uid, gid);
    }
    writeFileSync(fd, text, { flush: true });
  } finally {
    closeSync(fd);
  }
}

/** Creates such a file or replaces it; readers see the old or the new text. */
export function replacePrivateFile(
  file: string,
  text: string,
  owner?: { uid: number; gid: number },
): void {
  const made = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    createPrivateFile(made, text, owner);
    rename(made, file);
  } catch (error) {
    // On a full disk, each retry would leave another one.
    removeFile(made);
    throw error;
  }
}

/**
 * Creates such a file unless it exists. Several processes may do so at once: each writes its own file, and link(2) lets
 * exactly one of them become the file, complete from the start.
 */
export function createPrivateFileOnce(file: string, text: string): void {
  const made = `${file}.${randomBytes(6).toString("hex")}`;
  createPrivateFile(made, text);
  using folder = openFolder(dirname(file));
  try {
    linkSync(join(folder.path, basename(made)), join(folder.path, basename(file)));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    removeFile(made);
  }
}

/** Makes changes of the names in a folder durable: files that were created, renamed or deleted. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
