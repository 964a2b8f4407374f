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

/** @param {string} path @returns {string[]} */
function filesOf(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  if (!found.isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesOf(join(path, name)));
}

/** @param {string} file @returns {string | null} */
export function readIfThere(file) {
  return statSync(file, { throwIfNoEntry: false }) ? readFileSync(file, "utf8") : null;
}
