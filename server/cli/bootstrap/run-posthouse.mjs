import { existsSync } from "node:fs";

import { handOver } from "./children.mjs";
import { inRoot, NODE_MAJOR, nodeToUse } from "./paths.mjs";

/**
 * Runs the `posthouse` command after installing what it needs.
 *
 * @param {string[]} args
 * @returns {Promise<number>} its exit code
 */
export async function runPosthouse(args) {
  const node = nodeToUse();
  if (!existsSync(inRoot("node_modules")) || !existsSync(node)) {
    console.error(
      `posthouse: nothing is installed yet: run \`npm start\` once, or \`npm ci\` (it needs Node.js ${NODE_MAJOR}, which that brings)`,
    );
    return 1;
  }
  return handOver(node, [
    "--disable-warning=ExperimentalWarning",
    inRoot("server/cli/posthouse.ts"),
    ...args,
  ]);
}
