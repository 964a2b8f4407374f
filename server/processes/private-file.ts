import { randomBytes } from "node:crypto";
import { closeSync, fchownSync, openSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a file with mode 0600. If root creates it, it gets its folder's owner, because the services run
 * as another user and must be able to read it.
 *
 * @throws EEXIST if the file exists, even as a symbolic link
 */
export function createPrivateFile(file: string, text: string): void {
  const fd = openSync(file, "wx", 0o600);
  try {
    if (process.getuid!() === 0) {
      const { uid, gid } = statSync(dirname(file));
      fchownSync(fd, uid, gid);
    }
    writeFileSync(fd, text, { flush: true });
  } finally {
    closeSync(fd);
  }
}

/** Creates such a file or replaces it; readers see the old or the new text. */
export function replacePrivateFile(file: string, text: string): void {
  const made = `${file}.${randomBytes(6).toString("hex")}`;
  createPrivateFile(made, text);
  renameSync(made, file);
}
