import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { connect } from "#server/db/client.ts";

import { startEmbeddedPostgres } from "./embedded-postgres.ts";

// initdb and recovery take seconds on an idle machine, and much longer on a busy one.

let folder: string;

let cluster: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-cluster-"));
  cluster = join(folder, "postgres");
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function fill(): Promise<void> {
  const server = await startEmbeddedPostgres({ folder: cluster });
  const connection = connect(server.url, { max: 1 });
  await connection.sql`create table kept as select 7 as number`;
  await connection.close();
  await server.stop();
}

async function readKept(): Promise<unknown> {
  const server = await startEmbeddedPostgres({ folder: cluster });
  const connection = connect(server.url, { max: 1 });
  const rows = await connection.sql`select number from kept`;
  await connection.close();
  await server.stop();
  return rows[0]?.number;
}

test("rejects a database without pg_control and leaves it unchanged", async () => {
  await fill();
  const control = join(cluster, "global/pg_control");
  await rename(control, join(folder, "aside"));
  await expect(startEmbeddedPostgres({ folder: cluster })).rejects.toThrow(
    /global\/pg_control is missing \(found .*PG_VERSION, base, global.*\)\. Nothing was changed\. Restore/,
  );
  await rename(join(folder, "aside"), control);
  expect(await readKept()).toBe(7);
});

test.each([
  ["an empty folder", [], "found an empty folder"],
  ["a folder with other files", ["photos"], "found photos"],
])("%s isn't turned into a database", async (_, entries, words) => {
  await mkdir(cluster);
  for (const name of entries) await writeFile(join(cluster, name), "mine");
  await expect(startEmbeddedPostgres({ folder: cluster })).rejects.toThrow(words);
  expect(await readdir(cluster)).toEqual(entries);
});

test("the password isn't written through a symbolic link", async () => {
  const target = join(folder, "target");
  await symlink(target, `${cluster}.password`);
  await fill();
  expect(existsSync(target)).toBe(false);
  expect(await readKept()).toBe(7);
});

test("a missing database isn't replaced by an empty one", async () => {
  await fill();
  await rename(cluster, join(folder, "elsewhere"));
  await expect(startEmbeddedPostgres({ folder: cluster })).rejects.toThrow(/postgres is missing/);
  expect(await readdir(folder)).not.toContain("postgres");
  await rename(join(folder, "elsewhere"), cluster);
  expect(await readKept()).toBe(7);
});

test("an interrupted initdb is started over", async () => {
  await mkdir(join(folder, "postgres.new/base"), { recursive: true });
  await writeFile(join(folder, "postgres.new/PG_VERSION"), "18");
  await writeFile(join(folder, "postgres.new.password"), "half");
  // As if it crashed between the last two steps, writing the password and the rename.
  await writeFile(join(folder, "postgres.password"), "of the interrupted one");
  await fill();
  expect(await readKept()).toBe(7);
  expect((await readdir(folder)).toSorted()).toEqual([
    "postgres",
    "postgres.lock",
    "postgres.password",
  ]);
});
