import { statSync } from "node:fs";
import {
  chmod,
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { connect } from "#server/db/client.ts";

import { cloneCluster, updateClone } from "./clone-cluster.ts";
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
  await connection.sql`select pg_create_physical_replication_slot('archive', true)`;
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
  const files = await readdir(target, { recursive: true, withFileTypes: true });
  const shared = files.filter(
    (file) => file.isFile() && statSync(join(file.parentPath, file.name)).nlink > 1,
  );
  expect(shared).toEqual([]);
  await copyFile(passwordFile(original), passwordFile(target));

  const copy = await startEmbeddedPostgres({ folder: target });
  const copied = connect(copy.url, { max: 1 });
  const counts = ({ sql }: typeof connection) => sql<[{ old: number; new: number }]>`
    select count(*) filter (where number > 0)::int as old, count(*) filter (where number = 0)::int as new from rows`;
  const [inCopy] = await counts(copied);
  expect(inCopy.old).toBe(20_000);
  expect(inCopy.new).toBeGreaterThanOrEqual(writtenBefore);
  expect(inCopy.new).toBeLessThanOrEqual(written);
  expect(await copied.sql`select slot_name from pg_replication_slots`).toEqual([]);
  await copied.sql`delete from rows`;
  expect(await counts(connection)).toEqual([{ old: 20_000, new: written }]);
  await copied.close();
  await connection.close();
  await copy.stop();
  await server.stop();
});

test("a copy is updated with the WAL written since, if the server still has it", async () => {
  const original = join(folder, "postgres");
  // Two segments.
  const server = await startEmbeddedPostgres({
    folder: original,
    settings: { wal_keep_size: "32MB" },
  });
  const connection = connect(server.url, { max: 1 });
  const { sql } = connection;
  await sql`create table rows as select 1 as number`;
  const target = join(folder, "copy");
  expect(await updateClone(server.url, original, target)).toBe(false);
  await cloneCluster(server.url, original, target);
  const nextSegment = async (number: number) => {
    await sql`insert into rows values (${number})`;
    await sql`select pg_switch_wal()`;
  };
  await sql`create table later as select 1 as number`;
  await nextSegment(2);
  await sql`checkpoint`;
  await sql`insert into rows values (3)`;
  expect(await updateClone(server.url, original, target)).toBe(true);

  for (let number = 4; number < 8; number++) await nextSegment(number);
  await sql`checkpoint`;
  const after = join(folder, "after");
  await cp(target, after, { recursive: true });
  expect(await updateClone(server.url, original, after)).toBe(false);
  await connection.close();
  await server.stop();

  await rename(target, original + ".returned");
  await copyFile(passwordFile(original), passwordFile(original + ".returned"));
  const returned = await startEmbeddedPostgres({ folder: original + ".returned" });
  const copied = connect(returned.url, { max: 1 });
  const rows = await copied.sql`select number from rows order by number`;
  expect(rows.map(({ number }) => number as number)).toEqual([1, 2, 3]);
  expect(await copied.sql`select number from later`).toEqual([{ number: 1 }]);
  await copied.close();
  await returned.stop();
});
