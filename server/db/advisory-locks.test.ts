import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import postgres from "postgres";
import { expect, test } from "vitest";

import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";

import {
  ADVISORY_LOCKS,
  lock,
  lockConnection,
  lockNumber,
  lockTransaction,
  tryLock,
  tryLockConnection,
} from "./advisory-locks.ts";

const NAMES = Object.keys(ADVISORY_LOCKS) as (keyof typeof ADVISORY_LOCKS)[];

test("no two locks share a number, not even for the same key", () => {
  const numbers = NAMES.flatMap((name) => [lockNumber(name), lockNumber(name, "a")]);
  const fixed = NAMES.filter((name) => "number" in ADVISORY_LOCKS[name]);
  expect(new Set(numbers).size).toBe(2 * NAMES.length - fixed.length);
});

test("the locks shared with other versions keep their numbers", () => {
  expect([lockNumber("migration"), lockNumber("dovecotRole")]).toEqual([
    "7067839311",
    "7067839312",
  ]);
});

test("no other file takes an advisory lock", () => {
  const root = join(import.meta.dirname, "../..");
  const files = execFileSync(
    "git",
    ["ls-files", "-co", "--exclude-standard", "server", "worker", "mail"],
    {
      cwd: root,
      encoding: "utf8",
    },
  )
    .split("\n")
    .filter(
      (file) => /\.(ts|mjs|lua)$/.test(file) && !file.startsWith("server/db/advisory-locks."),
    );
  expect(files.length).toBeGreaterThan(1_000);
  const taking = files.filter((file) =>
    /pg_(try_)?advisory/.test(readFileSync(join(root, file), "utf8")),
  );
  // It creates the role that `server/db` connects with, so it can't use `server/db`.
  expect(taking).toEqual(["server/postgres/app-role.ts"]);
});

test("a lock is held until the transaction ends, and its other keys stay free", async () => {
  const other = postgres(config().databaseUrl!, { max: 1 });
  try {
    const isFree = (key: string) => db().transaction((tx) => tryLock(tx, "team", key));
    await other.begin(async (tx) => {
      await lockTransaction(tx, "team", "a");
      expect([await isFree("a"), await isFree("b")]).toEqual([false, true]);
    });
    expect(await isFree("a")).toBe(true);
    await db().transaction(async (tx) => {
      await lock(tx, "team", "a");
      expect(await isFree("a")).toBe(false);
    });
  } finally {
    await other.end();
  }
});

test("a connection's lock is held until the connection ends", async () => {
  const isFree = () => db().transaction((tx) => tryLock(tx, "testTemplate"));
  const other = postgres(config().databaseUrl!, { max: 1, max_lifetime: null });
  await lockConnection(other, "testTemplate");
  expect(await isFree()).toBe(false);
  await other.end();
  await expect.poll(isFree).toBe(true);
});

test.each([
  ["several connections", { max: 2, max_lifetime: null }],
  ["an idle timeout", { max: 1, max_lifetime: null, idle_timeout: 30 }],
  ["the driver's maximum lifetime", { max: 1 }],
])("a pool with %s can't hold a connection's lock", async (_, options) => {
  const pool = postgres(config().databaseUrl!, options);
  await expect(lockConnection(pool, "testTemplate")).rejects.toThrow(/^Lock a/);
  await expect(tryLockConnection(pool, "testTemplate")).rejects.toThrow(/^Lock a/);
  await pool.end();
});
