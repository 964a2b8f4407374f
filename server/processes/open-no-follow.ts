import { constants, lstatSync, openSync } from "node:fs";
import { dirname } from "node:path";

/** A symbolic link where Posthouse expects its own file or folder. */
export class SymbolicLinkError extends Error {
  constructor(path: string) {
    super(`${path} is a symbolic link, which may lead out of the data folder. Remove it`);
  }
}

/**
 * Opens a file of the data folder without following a symbolic link. When root runs the appliance in a folder
 * of another user, that user could otherwise make root write to any file.
 *
 * @param flags of open(2)
 * @throws SymbolicLinkError
 */
export function openNoFollow(file: string, flags: number, mode?: number): number {
  requireNoForeignLink(dirname(file));
  try {
    return openSync(file, flags | constants.O_NOFOLLOW, mode);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ELOOP")
      throw new SymbolicLinkError(file);
    throw error;
  }
}

/**
 * Links to folders are common, for example to another disk. For root, they must be root's own.
 *
 * @throws SymbolicLinkError
 */
export function requireNoForeignLink(folder: string): void {
  if (process.getuid!() !== 0) return;
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() && found.uid !== 0) throw new SymbolicLinkError(folder);
}
