import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";

import { bundleOf, bundlesAreFresh } from "./bundle.mjs";
import { handOver, leaveSignals, watchParent } from "./children.mjs";
import { enableCodeCache } from "./code-cache.mjs";
import { installedCommand } from "./installed-command.mjs";
import { inRoot, NODE_MAJOR, nodeToUse } from "./paths.mjs";

/**
 * Runs the `posthouse` command: in this process if it runs on the right Node.js, otherwise in another one. Commands about the
 * installed appliance run in the installed program.
 *
 * @param {string[]} args
 * @returns {Promise<number>} its exit code
 */
export async function runPosthouse(args) {
  const installed = installedCommand(args);
  if (installed) return handOver(installed, args);
  const node = nodeToUse();
  if (!existsSync(inRoot("node_modules")) || !existsSync(node)) {
    console.error(
      `posthouse: nothing is installed yet. Run npm start once, or npm ci, which also installs Node.js ${NODE_MAJOR}`,
    );
    return 1;
  }
  if (realpathSync(node) !== process.execPath)
    return handOver(node, [inRoot("server/cli/posthouse.mjs"), ...args]);
  return runHere(args);
}

/** @param {string[]} args @returns {Promise<number>} never resolves, because the command exits the process */
async function runHere(args) {
  // Before the first TypeScript file: what strips the types takes 20 MB, and isn't loaded if all are in the cache.
  enableCodeCache(resolve(process.env.POSTHOUSE_DATA || "data"));
  leaveSignals();
  watchParent(() => process.kill(process.pid, "SIGTERM"));
  process.argv.splice(2, Infinity, ...args);
  await import(bundlesAreFresh() ? bundleOf("server/cli/posthouse.ts") : "../posthouse.ts");
  return 0;
}

// The installed command runs this file: its program is built, so it needs no bootstrap.
if (import.meta.main) process.exitCode = await runPosthouse(process.argv.slice(2));
