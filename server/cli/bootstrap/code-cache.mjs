import { statSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";

// Plain JavaScript, since the bootstrap uses it before TypeScript is loaded.

/**
 * Where Node.js keeps compiled code, so that a start doesn't strip the types of every file and compile it again. An
 * entry is valid only for the source it was made from. The folder may be deleted at any time.
 *
 * @param {string} dataFolder
 */
export const codeCacheFolder = (dataFolder) => join(dataFolder, "cache/code");

/**
 * Makes this process and its children use the cache, if the data folder is their user's. Root doesn't, because the
 * service user can write to the cache.
 *
 * @param {string} dataFolder
 */
export function enableCodeCache(dataFolder) {
  const user = process.getuid?.();
  if (user === 0 || statSync(dataFolder, { throwIfNoEntry: false })?.uid !== user) return;
  const folder = codeCacheFolder(dataFolder);
  process.env.NODE_COMPILE_CACHE ??= folder;
  module.enableCompileCache(folder);
}
