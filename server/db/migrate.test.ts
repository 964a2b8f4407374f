import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import postgres from "postgres";
import { afterEach, beforeEach, expect, test } from "vitest";

import { anEmptyDatabase } from "#server/testing/databases.ts";
import { laterMigrations, readJournal } from "#server/testing/old-schema.ts";

import { lockConnection } from "./advisory-locks.ts";
import { migrate } from "./migrate.ts";
import { requireKnownSchema } from "./schema-version.ts";

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
  expect(hashes.length).toBe((await readJournal()).entries.length);
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
  expect((await applied()).length).toBeGreaterThan(0);

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

test("a migration that needs a table in use lets other statements pass, and tries again", async () => {
  await migrate(url);
  const folder = await laterMigrations('alter table "emails" add column "added" text;');
  const reader = postgres(url, { max: 1 });
  const isRead = Promise.withResolvers<null>();
  const inUse = Promise.withResolvers<null>();
  const reading = reader.begin(async (tx) => {
    await tx`select from emails`;
    isRead.resolve(null);
    await inUse.promise;
  });
  await isRead.promise;
  let isDone = false;
  const migrating = migrate(url, folder).then(() => (isDone = true));
  await until(async () => {
    const waiting =
      await sql`select from pg_locks where relation = 'emails'::regclass and not granted`;
    return waiting.length > 0;
  });
  await sql`select from emails`;
  expect(isDone).toBe(false);
  inUse.resolve(null);
  await reading;
  await reader.end();
  await migrating;
  await rm(folder, { recursive: true });
  await sql`select added from emails`;
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}
