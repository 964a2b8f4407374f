import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/**
 * Hashes files and folders. The hash changes when a file in them is changed, created or deleted.
 *
 * @param {string} root
 * @param {string[]} paths from the root; missing ones are hashed as missing
 * @param {(path: string) => boolean} [counts] whether a file matters
 */
export function fingerprint(root, paths, counts = () => true) {
  const hash = createHash("sha256");
  for (const path of paths)
    for (const file of filesOf(join(root, path))) {
      const name = relative(root, file);
      if (counts(name)) hash.update(`${name}\0`).update(readFileSync(file)).update("\0");
    }
  return hash.digest("hex");
}

/**
 * Hashes the names, sizes and times of files. Much quicker than their contents.
 *
 * @param {string} root copies in other folders have the same stamp
 * @param {string[]} files
 */
export function stampOf(root, files) {
  const hash = createHash("sha256");
  for (const file of files) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(root, file)}\0${size}\0${mtimeMs}\0`);
  }
  return hash.digest("hex");
}

/**
 * A file itself, or every file in a folder, in a fixed order.
 *
 * @param {string} path
 * @returns {string[]}
 */
export function filesOf(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  if (!found.isDirectory()) return [path];
  // Not `recursive`, since Node.js 18 has no `parentPath` of entries.
  return readdirSync(path, { withFileTypes: true })
    .flatMap((entry) => {
      const file = join(path, entry.name);
      return entry.isDirectory() ? filesOf(file) : [file];
    })
    .sort();
}

/** @param {string} file @returns {string | null} */
export function readIfThere(file) {
  return statSync(file, { throwIfNoEntry: false }) ? readFileSync(file, "utf8") : null;
}
