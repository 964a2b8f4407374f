import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { connect } from "#server/db/client.ts";

import { cloneCluster } from "./clone-cluster.ts";
import { passwordFile } from "./cluster.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-clone-"));
  await chmod(folder, 0o755);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a copy of a database in use has everything committed before, and doesn't share files with it", async () => {
  const original = join(folder, "postgres");
  const server = await startEmbeddedPostgres({ folder: original });
  const connection = connect(server.url, { max: 2 });
  await connection.sql`create table rows as select generate_series(1, 20000) as number`;
  let isOver = false;
  let written = 0;
  const writing = (async () => {
    while (!isOver) {
      await connection.sql`insert into rows values (0)`;
      written += 1;
    }
  })();
  const target = join(folder, "copy");
  // What is left of an earlier copy.
  await mkdir(target);
  await writeFile(join(target, "PG_VERSION"), "9");
  const writtenBefore = written;
  await cloneCluster(server.url, original, target);
  isOver = true;
  await writing;
  await copyFile(passwordFile(original), passwordFile(target));

  const copy = await startEmbeddedPostgres({ folder: target });
  const copied = connect(copy.url, { max: 1 });
  const counts = ({ sql }: typeof connection) => sql<[{ old: number; new: number }]>`
    select count(*) filter (where number > 0)::int as old, count(*) filter (where number = 0)::int as new from rows`;
  const [inCopy] = await counts(copied);
  expect(inCopy.old).toBe(20_000);
  expect(inCopy.new).toBeGreaterThanOrEqual(writtenBefore);
  expect(inCopy.new).toBeLessThanOrEqual(written);
  await copied.sql`delete from rows`;
  expect(await counts(connection)).toEqual([{ old: 20_000, new: written }]);
  await copied.close();
  await connection.close();
  await copy.stop();
  await server.stop();
});
