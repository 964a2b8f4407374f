import postgres from "postgres";
import { afterEach, beforeEach, expect, test } from "vitest";

import { recreateFromTemplate } from "#server/testing/databases.ts";

import { copyDatabase } from "./copy-database.ts";

const urls = { from: "", to: "" };
let source: postgres.Sql;
let target: postgres.Sql;
beforeEach(async () => {
  const worker = process.env.VITEST_POOL_ID ?? "0";
  urls.from = await recreateFromTemplate(`posthouse_copy_from_${worker}`);
  urls.to = await recreateFromTemplate(`posthouse_copy_to_${worker}`);
  source = postgres(urls.from, { max: 1, onnotice: () => {} });
  target = postgres(urls.to, { max: 1, onnotice: () => {} });
});
afterEach(() => Promise.all([source.end(), target.end()]));

const ODD = `create table "Odd things" (
  id bigint primary key generated always as identity,
  parent_id bigint not null references "Odd things" (id),
  content text,
  bytes bytea,
  size int not null generated always as (coalesce(length(content), 0)) stored
)`;

test("replaces existing rows, copies rows unchanged, and continues sequences", async () => {
  for (const sql of [source, target]) await sql.unsafe(ODD);
  await source`
    insert into "Odd things" (parent_id, content, bytes)
    select 4000 - n, case when n % 3 > 0 then E'tab\t\\.\nline ' || repeat('ä', n % 99) end, decode(md5(n::text), 'hex')
    from generate_series(0, 3999) n`;
  await source`update "Odd things" set parent_id = id where id > 2000`;
  await target`insert into "Odd things" (parent_id, content) values (1, 'made by a migration')`;
  await target.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before insert on "Odd things" for each row execute function refuse()`);

  const { tables, rows } = await copyDatabase(urls.from, urls.to);
  expect(tables).toBeGreaterThan(60);
  expect(rows).toBeGreaterThan(4_000);
  const sum = (sql: postgres.Sql) => sql`
    select count(*)::int, md5(string_agg(md5(o::text), '' order by id)) from "Odd things" o`;
  expect(await sum(target)).toEqual(await sum(source));
  const migrations = (sql: postgres.Sql) => sql`select * from drizzle.__drizzle_migrations`;
  expect(await migrations(target)).toEqual(await migrations(source));
  await target`drop trigger refuse on "Odd things"`;
  const [next] = await target`insert into "Odd things" (parent_id) values (1) returning id`;
  expect(next).toEqual({ id: "4001" });
});

test("detects a missing table and lost rows", async () => {
  await source.unsafe(ODD);
  await expect(copyDatabase(urls.from, urls.to)).rejects.toThrow('Odd things" does not exist');
  await target.unsafe(ODD);
  await source`insert into "Odd things" (parent_id) values (1)`;
  await target.unsafe(`
    create function drop_row() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger drop_row before insert on "Odd things" for each row execute function drop_row();
    alter table "Odd things" enable always trigger drop_row`);
  await expect(copyDatabase(urls.from, urls.to)).rejects.toThrow(
    'public."Odd things" has 0 rows after it was copied, instead of 1',
  );
});
