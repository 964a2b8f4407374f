import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

import { bundleOf, bundlesAreFresh, ensureBundles } from "#server/cli/bootstrap/bundle.mjs";
import { buildIsFresh, ensureBuild } from "#server/cli/bootstrap/next-build.mjs";
import { inRoot } from "#server/cli/bootstrap/paths.mjs";
import { lockFile } from "#server/processes/run-lock.ts";

const LOCK = inRoot("node_modules/.cache/build.lock");
/** No build takes this long. */
const LOCK_TIMEOUT_MS = 300_000;

/** Runs the production build and bundles the programs, unless they are up to date. */
export async function ensureBuilt(): Promise<void> {
  if (!buildIsFresh()) await locked(ensureBuild);
  if (!bundlesAreFresh()) await locked(ensureBundles);
}

let areFresh: boolean | undefined;

/** What runs a program, such as `worker/main.ts`: its bundle if it is up to date, otherwise the source. */
export function fileOf(program: string): string {
  areFresh ??= bundlesAreFresh();
  return areFresh ? bundleOf(program) : inRoot(program);
}

/** Runs one build at a time across test processes. */
async function locked(work: () => Promise<unknown>): Promise<void> {
  mkdirSync(dirname(LOCK), { recursive: true });
  const lock = await lockFile(LOCK, { waitMs: LOCK_TIMEOUT_MS });
  if (!lock) throw new Error(`Another build holds ${LOCK}`);
  try {
    await work();
  } finally {
    lock.release();
  }
}
