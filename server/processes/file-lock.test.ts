import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { type FileLock, isLocked, lockFile } from "./file-lock.ts";

let folder: string;
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
