import { mkdirSync, statSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";

// Plain JavaScript, since the bootstrap uses it before TypeScript is loaded.

/**
 * Where Node.js keeps compiled code, so that a start doesn't strip the types of every file and compile it again. An
 * entry is valid only for the source it was made from. The folder may be deleted at any time.
 *
 * @param {string} dataFolder
 */
export const codeCacheFolder = (dataFolder) => join(dataFolder, "cache/code");

/** Root's own cache, because the service user can write to the data folder's. */
export const ROOT_CODE_CACHE = "/var/cache/posthouse/code";

/**
 * Makes this process and its children use the cache, if the data folder is their user's. Root has a cache of its own,
 * which children don't inherit: most of them run as the service user.
 *
 * @param {string} dataFolder
 */
export function enableCodeCache(dataFolder) {
  const user = process.getuid?.();
  if (user === 0) return enableRootCache();
  if (statSync(dataFolder, { throwIfNoEntry: false })?.uid !== user) return;
  const folder = codeCacheFolder(dataFolder);
  process.env.NODE_COMPILE_CACHE ??= folder;
  module.enableCompileCache(folder);
}

function enableRootCache() {
  try {
    // The service user reads other files beside it.
    mkdirSync(dirname(ROOT_CODE_CACHE), { recursive: true, mode: 0o755 });
    mkdirSync(ROOT_CODE_CACHE, { recursive: true, mode: 0o700 });
  } catch {
    // A read-only file system: works without the cache.
    return;
  }
  module.enableCompileCache(ROOT_CODE_CACHE);
}
