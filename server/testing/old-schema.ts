import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import type postgres from "postgres";

export const MIGRATIONS = join(import.meta.dirname, "../../drizzle/migrations");

type Entry = { idx: number; version: string; when: number; tag: string; breakpoints: boolean };
type Journal = { entries: Entry[] };

export const readJournal = async (folder = MIGRATIONS) =>
  JSON.parse(await readFile(join(folder, "meta/_journal.json"), "utf8")) as Journal;

/** Migrates a database as an earlier version did: up to its last migration, and without the job queue. */
export async function migrateUpTo(sql: postgres.Sql, last: string): Promise<void> {
  const folder = await aMigrationsFolder((entries) => {
    const count = entries.findIndex(({ tag }) => tag === last) + 1;
    if (count === 0) throw new Error(`There is no migration ${last}`);
    return entries.slice(0, count);
  });
  try {
    await migrate(drizzle(sql), { migrationsFolder: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The migrations of a later version: this version's, and one with these statements. The caller deletes the folder. */
export async function laterMigrations(statements: string): Promise<string> {
  const tag = "9999_later";
  const folder = await aMigrationsFolder((entries) => {
    const { idx, when, ...rest } = entries.at(-1)!;
    return [...entries, { ...rest, idx: idx + 1, when: when + 1, tag }];
  });
  await writeFile(join(folder, `${tag}.sql`), statements);
  return folder;
}

async function aMigrationsFolder(change: (entries: Entry[]) => Entry[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "posthouse-migrations-"));
  await cp(MIGRATIONS, folder, { recursive: true });
  const { entries, ...rest } = await readJournal(folder);
  const journal = { ...rest, entries: change(entries) };
  await writeFile(join(folder, "meta/_journal.json"), JSON.stringify(journal));
  return folder;
}

/** Makes an empty database look like one of an earlier version, which has none of this version's tables yet. */
export async function recordEarlierMigration(sql: postgres.Sql): Promise<void> {
  await sql`create schema drizzle`;
  await sql`
    create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('earlier', 1)`;
}
