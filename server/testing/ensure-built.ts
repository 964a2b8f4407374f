import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { bundleOf, bundlesAreFresh, ensureBundles } from "#server/cli/bootstrap/bundle.mjs";
import { buildIsFresh, ensureBuild } from "#server/cli/bootstrap/next-build.mjs";
import { inRoot } from "#server/cli/bootstrap/paths.mjs";

const LOCK = inRoot("node_modules/.cache/next-build.lock");
/** A killed build leaves its lock behind; no build takes this long. */
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
  await mkdir(join(LOCK, ".."), { recursive: true });
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  while (
    !(await mkdir(LOCK).then(
      () => true,
      () => false,
    ))
  ) {
    if (performance.now() > deadline) throw new Error(`Another build holds ${LOCK}`);
    await sleep(250);
  }
  try {
    await work();
  } finally {
    await rm(LOCK, { recursive: true, force: true });
  }
}
