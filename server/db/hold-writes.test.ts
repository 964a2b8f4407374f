import postgres from "postgres";
import { afterEach, beforeEach, expect, test } from "vitest";

import { config } from "#server/config.ts";

import { holdWrites } from "./hold-writes.ts";

let sql: postgres.Sql;
beforeEach(() => {
  sql = postgres(config().databaseUrl!, { max: 2, onnotice: () => {} });
});
afterEach(() => sql.end({ timeout: 5 }));

const INSERT = `insert into audit_entries (id, company_id, actor, action, details)
  select gen_random_uuid(), id, 'ann', 'test.held', '{}' from companies limit 0`;

const waiting =
  () => sql`select from pg_locks where relation = 'audit_entries'::regclass and not granted
  and database = (select oid from pg_database where datname = current_database())`;

test("writes wait, and reading doesn't, until they may continue", async () => {
  const release = await holdWrites(config().databaseUrl!, () => {
    throw new Error("lost");
  });
  let isDone = false;
  const write = sql.unsafe(INSERT).then(() => (isDone = true));
  while ((await waiting()).length === 0) expect(isDone).toBe(false);
  await sql`select from audit_entries limit 1`;
  await release();
  await write;
});

test("tells when the database ends the wait", async () => {
  const lost = Promise.withResolvers<null>();
  await holdWrites(config().databaseUrl!, () => lost.resolve(null));
  await sql`
    select pg_terminate_backend(pid) from pg_locks where relation = 'audit_entries'::regclass
      and granted and mode = 'ShareRowExclusiveLock'
      and database = (select oid from pg_database where datname = current_database())`;
  await lost.promise;
});
