import module from "node:module";
import { join } from "node:path";

// Plain JavaScript, since the bootstrap uses it before TypeScript is loaded.

/**
 * Where Node.js keeps compiled code, so that a start doesn't strip the types of every file and compile it again. An
 * entry is valid only for the source it was made from. The folder may be deleted at any time.
 *
 * @param {string} dataFolder
 */
export const compileCacheFolder = (dataFolder) => join(dataFolder, "cache/code");

/**
 * Makes this process use the cache, except as root: the service user can write to the folder.
 *
 * @param {string} dataFolder
 */
export function useCompileCache(dataFolder) {
  if (process.getuid?.() !== 0) module.enableCompileCache(compileCacheFolder(dataFolder));
}
