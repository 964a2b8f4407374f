// cspell:ignore authid dblink nspname nspowner proname pronamespace proowner regrole relnamespace relowner typname typnamespace typowner
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import postgres from "postgres";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { ensureDovecotRole } from "#server/db/dovecot-role.ts";
import { migrate } from "#server/db/migrate.ts";

import { ensureAppRole, toAdminUrl } from "./app-role.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const root = mkdtempSync(join(tmpdir(), "posthouse-app-role-"));
const folder = join(root, "postgres");
let server: EmbeddedPostgres;

beforeAll(async () => {
  chmodSync(root, 0o755);
  server = await startEmbeddedPostgres({ folder });
});
afterAll(async () => {
  await server.stop();
  rmSync(root, { recursive: true, force: true });
});

async function asRole<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

const ownedByAdmin = () =>
  asRole(
    server.url,
    (sql) => sql`
      select relname from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname !~ '^pg_' and nspname <> 'information_schema' and relowner = 'posthouse'::regrole
      union all select proname from pg_proc p join pg_namespace n on n.oid = pronamespace
      where nspname !~ '^pg_' and nspname <> 'information_schema' and proowner = 'posthouse'::regrole
      union all select typname from pg_type t join pg_namespace n on n.oid = typnamespace
      where nspname !~ '^pg_' and nspname <> 'information_schema' and typowner = 'posthouse'::regrole
      union all select nspname from pg_namespace where nspname in ('drizzle', 'graphile_worker')
        and nspowner = 'posthouse'::regrole`,
  );

test("takes over a cluster whose superuser created everything, and migrates as its owner", async () => {
  await migrate(server.url);
  const dovecot = { password: "before", onProblem: vi.fn() };
  await ensureDovecotRole(server.url, dovecot);
  expect((await ownedByAdmin()).length).toBeGreaterThan(100);

  const url = await ensureAppRole(server.url);
  expect(await ownedByAdmin()).toEqual([]);
  // A copy that was migrated while it was checked.
  await asRole(server.url, (sql) => sql`create table added_later (id serial primary key)`);
  expect(await ensureAppRole(server.url)).toBe(url);
  expect(await ownedByAdmin()).toEqual([]);
  await migrate(url);
  expect(await ensureDovecotRole(url, { ...dovecot, password: "after" })).not.toBeNull();
  expect(dovecot.onProblem).not.toHaveBeenCalled();
  await asRole(url, async (sql) => {
    await sql`drop table added_later`;
    await sql`create table emails_2 (like emails including all)`;
    await sql`select pg_create_physical_replication_slot('stream')`;
    await sql`select pg_drop_replication_slot('stream')`;
    expect((await sql`show data_directory`)[0]).toEqual({ data_directory: folder });
  });
});

test.each([
  ["run a program", "copy (select 1) to program 'true'"],
  ["read a file", "select pg_read_file('PG_VERSION')"],
  ["write a file", "copy (select 1) to '/tmp/x'"],
  ["become a superuser", "alter role posthouse_app superuser"],
  ["create a superuser", "create role mallory superuser"],
  ["change the superuser's password", "alter role posthouse password 'x'"],
  ["act as the superuser", "set role posthouse"],
  ["load a library", "load '$libdir/dblink'"],
  ["get the right to run programs", "grant pg_execute_server_program to posthouse_app"],
  ["change the server's settings", "alter system set log_statement = 'all'"],
  ["read password hashes", "select * from pg_authid"],
])("the appliance's role can't %s", async (_, statement) => {
  const url = await ensureAppRole(server.url);
  await expect(asRole(url, (sql) => sql.unsafe(statement))).rejects.toThrow(
    /permission denied|must be|Only roles|access to/,
  );
});

test("backups find the superuser's connection string", async () => {
  const url = await ensureAppRole(server.url);
  expect(toAdminUrl(url, folder)).toBe(server.url);
  const other = "postgres://ann:secret@db.example.com/mail";
  expect(toAdminUrl(other, folder)).toBe(other);
});
