import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
const SOURCES = ["app/**/*.{ts,tsx,css}", "next.config.js", "package-lock.json"];
const LOCK = join(ROOT, "node_modules/.cache/next-build.lock");
/** A build that was killed leaves its lock; no build takes this long. */
const LOCK_TIMEOUT_MS = 300_000;

/** Makes the production build that the web process serves, unless the one at hand is of these sources. */
export async function ensureBuilt(): Promise<void> {
  if (await isCurrent()) return;
  await locked(async () => {
    if (await isCurrent()) return;
    await promisify(execFile)(join(ROOT, "node_modules/.bin/next"), ["build"], { cwd: ROOT });
  });
}

async function isCurrent(): Promise<boolean> {
  const builtAt = await changedAt(".next/BUILD_ID");
  const sources = globSync(SOURCES, { cwd: ROOT }).filter((file) => !/\.test\.tsx?$/.test(file));
  const changes = await Promise.all(sources.map(changedAt));
  return changes.every((changed) => changed < builtAt);
}

const changedAt = (file: string) =>
  stat(join(ROOT, file)).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

/** One build at a time, whichever test process asks. */
async function locked(work: () => Promise<void>): Promise<void> {
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
