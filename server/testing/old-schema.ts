import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import type postgres from "postgres";

export const MIGRATIONS = join(import.meta.dirname, "../../drizzle/migrations");

type Journal = { entries: { idx: number; when: number; tag: string }[] };

export const readJournal = async () =>
  JSON.parse(await readFile(join(MIGRATIONS, "meta/_journal.json"), "utf8")) as Journal;

/** Migrates a database as an earlier version did: up to its last migration, and without the job queue. */
export async function migrateUpTo(sql: postgres.Sql, last: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "posthouse-migrations-"));
  try {
    const { entries, ...rest } = await readJournal();
    const first = entries.slice(0, entries.findIndex(({ tag }) => tag === last) + 1);
    if (first.length === 0) throw new Error(`There is no migration ${last}`);
    await mkdir(join(folder, "meta"));
    const journal = { ...rest, entries: first };
    await writeFile(join(folder, "meta/_journal.json"), JSON.stringify(journal));
    for (const { tag } of first)
      await cp(join(MIGRATIONS, `${tag}.sql`), join(folder, `${tag}.sql`));
    await migrate(drizzle(sql), { migrationsFolder: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
