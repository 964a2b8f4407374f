import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { mustRun } from "./children.mjs";
import { fingerprint, readIfThere } from "./fingerprint.mjs";
import { nodeToUse, ROOT } from "./paths.mjs";

const STAMP = ".next/posthouse-build";
/** The sources of the pages. They import only types from the server, which don't affect the build. */
const SOURCES = [
  "app",
  "public",
  "next.config.js",
  "server/cli/bootstrap/compress-static.mjs",
  "postcss.config.cjs",
  "postcss.config.js",
  "postcss.config.mjs",
  "tsconfig.json",
  "package-lock.json",
];

/** @param {string} root */
const sourceHash = (root) => fingerprint(root, SOURCES, (path) => !/\.test\.tsx?$/.test(path));

/** Whether `.next` was built from the current sources. */
export function buildIsFresh(root = ROOT) {
  return (
    existsSync(join(root, ".next/BUILD_ID")) && readIfThere(join(root, STAMP)) === sourceHash(root)
  );
}

/** Whether something else built the pages, as in the image. */
export const isBuiltElsewhere = (root = ROOT) =>
  existsSync(join(root, ".next/BUILD_ID")) && !existsSync(join(root, STAMP));

/** Builds the pages when the sources have changed. Returns a description of what it did. */
export async function ensureBuild() {
  if (buildIsFresh()) return "up to date";
  const hash = sourceHash(ROOT);
  const next = join(ROOT, "node_modules/next/dist/bin/next");
  const env = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
  await mustRun(nodeToUse(), [next, "build"], { cwd: ROOT, env });
  writeFileSync(join(ROOT, STAMP), hash);
  return "built";
}
