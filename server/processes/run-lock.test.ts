import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readlinkSync, rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { startNodeProcess } from "./node-process.ts";
import { acquireRunLock, type FileLock, isLocked, lockFile } from "./run-lock.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-run-lock-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const isHeld = () => isLocked(join(folder, "processes.lock"));

/** One of our processes, which starts a child by `start` and reports its pid. */
async function aProcessWithChild(start: string) {
  const file = join(folder, "program.mjs");
  const runLock = join(import.meta.dirname, "run-lock.ts");
  await writeFile(
    file,
    `import { spawn } from "node:child_process";
    const { inheritedRunLock, withServiceLock } = await import(${JSON.stringify(runLock)});
    const child = ${start};
    console.log(child.pid);
    setInterval(() => process.send({ type: "ready" }), 50);`,
  );
  const lock = (await acquireRunLock(folder, { waitMs: 0 }))!;
  const childPid = Promise.withResolvers<number>();
  const run = await startNodeProcess(
    { file, env: process.env, runLock: lock, onLine: (line) => childPid.resolve(Number(line)) },
    new AbortController().signal,
  );
  lock.release();
  return { run, childPid: await childPid.promise };
}

test("a process holds the run lock until it ends, and its children don't", async () => {
  const { run, childPid } = await aProcessWithChild(
    `spawn("sleep", ["60"], { detached: true, stdio: "ignore" })`,
  );
  expect(await isHeld()).toBe(true);
  process.kill(run.pid, "SIGKILL");
  await run.exited;
  expect(await isHeld()).toBe(false);
  process.kill(childPid, "SIGKILL");
});

test("a service that inherits the run lock keeps it after the process has ended", async () => {
  const { run, childPid } = await aProcessWithChild(
    `spawn("sleep", ["60"], {
      detached: true,
      stdio: withServiceLock(["ignore", "ignore", "ignore"], inheritedRunLock(${JSON.stringify(folder)})),
    })`,
  );
  process.kill(run.pid, "SIGKILL");
  await run.exited;
  expect(await isHeld()).toBe(true);
  process.kill(childPid, "SIGKILL");
  const waiting = spawn("flock", [join(folder, "processes.lock"), "true"]);
  expect(await once(waiting, "exit")).toEqual([0, null]);
});

let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "posthouse-lock-"));
  file = join(folder, "lock");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function take(waitMs = 0): Promise<FileLock> {
  const lock = await lockFile(file, { waitMs });
  if (!lock) throw new Error("another process has the lock");
  return lock;
}

test("a lock has one holder until it is released", async () => {
  expect(await isLocked(file)).toBe(false);
  const lock = await take();
  expect(await lockFile(file, { waitMs: 0 })).toBeNull();
  expect(await isLocked(file)).toBe(true);
  lock.release();
  expect(await isLocked(file)).toBe(false);
  (await take()).release();
});

test("only one of several concurrent attempts gets the lock", async () => {
  const locks = await Promise.all(Array.from({ length: 8 }, () => lockFile(file, { waitMs: 0 })));
  expect(locks.filter((lock) => lock !== null)).toHaveLength(1);
  for (const lock of locks) lock?.release();
});

test("waits for a lock that is released in time", async () => {
  const lock = await take();
  setTimeout(() => lock.release(), 200);
  (await take(10_000)).release();
});

test("a child that inherits a lock keeps it until it exits, even by kill -9; other children don't", async () => {
  const lock = await take();
  const other = spawn("sleep", ["60"]);
  const child = spawn("sleep", ["60"], { stdio: ["ignore", "ignore", "ignore", lock.fd] });
  lock.release();
  expect(await isLocked(file)).toBe(true);

  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await isLocked(file)).toBe(false);
  other.kill("SIGKILL");
});

// Elsewhere, Linux lists no lock whose process has exited, and flock(1) has.
const isInitialNamespace = readlinkSync("/proc/self/ns/pid") === "pid:[4026531836]";

test.runIf(isInitialNamespace)("a listed lock is found without starting a program", async () => {
  const file = join(folder, "listed.lock");
  const lock = await lockFile(file, { waitMs: 0 });
  vi.stubEnv("PATH", "/nonexistent");
  expect(await isLocked(file)).toBe(true);
  vi.unstubAllEnvs();
  lock!.release();
  expect(await isLocked(file)).toBe(false);
});
