import { setTimeout as sleep } from "node:timers/promises";

import postgres from "postgres";
import { afterEach, beforeEach, expect, test } from "vitest";

import { anEmptyDatabase } from "#server/testing/databases.ts";

import { lockConnection } from "./advisory-locks.ts";
import { migrate, requireKnownSchema } from "./migrate.ts";

// All migrations of an empty database take a second on an idle machine, and much longer on a busy one.

let url: string;
let sql: postgres.Sql;
beforeEach(async () => {
  url = await anEmptyDatabase("migrate");
  sql = postgres(url, { max: 2, onnotice: () => {} });
});
afterEach(() => sql.end({ timeout: 5 }));

const applied = () =>
  sql`select hash from drizzle.__drizzle_migrations`.then((rows) =>
    rows.map(({ hash }) => hash as string),
  );

test("several processes that start concurrently migrate the database once", async () => {
  await Promise.all(Array.from({ length: 4 }, () => migrate(url)));
  const hashes = await applied();
  expect(hashes.length).toBeGreaterThan(9);
  expect(new Set(hashes).size).toBe(hashes.length);
});

test("a migration waits for a running one", async () => {
  const other = postgres(url, { max: 1, max_lifetime: null });
  await lockConnection(other, "migration");
  let isDone = false;
  const waiting = migrate(url).then(() => (isDone = true));
  await untilSomebodyWaits();
  expect(isDone).toBe(false);
  expect(
    (await sql`select to_regclass('drizzle.__drizzle_migrations') as found`)[0]!.found,
  ).toBeNull();
  await other.end();
  await waiting;
  expect((await applied()).length).toBeGreaterThan(9);

  async function untilSomebodyWaits(): Promise<void> {
    while (!isDone) {
      const rows = await sql`
        select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`;
      if (rows.length > 0) return;
      await sleep(10);
    }
  }
});

test("an older version rejects a database that a newer version has used, without changing it", async () => {
  await migrate(url);
  await requireKnownSchema(sql);
  const later = Date.UTC(2099, 0, 31);
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('of later', ${later})`;
  const before = await applied();
  await expect(migrate(url)).rejects.toThrow(
    /A newer version of Posthouse has used this database: its schema is from 2099-01-31/,
  );
  await expect(requireKnownSchema(sql)).rejects.toThrow(/Start the newer version/);
  expect(await applied()).toEqual(before);
});
