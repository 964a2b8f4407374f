import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's own folder. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** @param {string} path from the project's root */
export const inRoot = (path) => join(ROOT, path);

/** The first version that runs the appliance's TypeScript directly. */
export const NODE_MAJOR = 24;

/** The Node.js that runs the appliance: the project's own, or else this one if it is new enough. */
export function nodeToUse() {
  const own = inRoot("node_modules/node/bin/node");
  return isNewEnough() && !existsSync(own) ? process.execPath : own;
}

export function isNewEnough() {
  return Number(process.versions.node.split(".")[0]) >= NODE_MAJOR;
}
