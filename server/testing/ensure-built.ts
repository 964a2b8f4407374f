import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
const SOURCES = ["app/**/*.{ts,tsx,css}", "next.config.js", "package-lock.json"];
const LOCK = join(ROOT, "node_modules/.cache/next-build.lock");
/** A killed build leaves its lock behind; no build takes this long. */
const LOCK_TIMEOUT_MS = 300_000;

/** Runs the production build for the web process, unless it is up to date. */
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

/** Runs one build at a time across test processes. */
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
