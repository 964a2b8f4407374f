import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { recordFailure, recordStart } from "#server/core/operations/backups/backups.ts";
import { anEmptyDatabase } from "#server/testing/databases.ts";
import {
  laterMigrations,
  MIGRATIONS,
  migrateUpTo,
  readJournal,
} from "#server/testing/old-schema.ts";

import { connect } from "./client.ts";
import { migrate } from "./migrate.ts";

type Release = { version: string; last: string; rows: string };

/**
 * The releases whose databases are upgraded: the last migration of each, and rows for the tables that it added. A new release adds
 * a line.
 */
const RELEASES: Release[] = [{ version: "0.1.0", last: "0000_initial", rows: "rows-of-0.1.0.sql" }];

/** The migration of a version to come. */
const LATER = `
ALTER TABLE "emails" ADD COLUMN "word_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "emails" SET "word_count" = cardinality(string_to_array("subject", ' '));--> statement-breakpoint
CREATE INDEX "emails_word_count_idx" ON "emails" USING btree ("word_count");`;

describe("released migrations", () => {
  test("are never edited, because databases that have applied them don't run them again", async () => {
    const recorded = JSON.parse(
      await readFile(join(MIGRATIONS, "checksums.json"), "utf8"),
    ) as Record<string, string>;
    const { entries } = await readJournal();
    const found: Record<string, string> = {};
    for (const { tag } of entries) {
      const text = await readFile(join(MIGRATIONS, `${tag}.sql`));
      found[tag] = createHash("sha256").update(text).digest("hex");
    }
    // `npm run db:generate` records the checksum of a new one.
    expect(found).toEqual(recorded);
  });

  test("are ordered by time, because one older than the last applied is skipped", async () => {
    const { entries } = await readJournal();
    const times = entries.map(({ when }) => when);
    expect(new Set(times).size).toBe(times.length);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
});

describe.each(RELEASES)("a database of $version", (release) => {
  let url: string;
  let sql: postgres.Sql;
  let before: Map<string, string[]>;
  let folder: string;

  beforeAll(async () => {
    url = await anEmptyDatabase("upgrade");
    sql = postgres(url, { max: 1, onnotice: () => {} });
    // As it grew: with the rows of earlier releases.
    for (const each of RELEASES.slice(0, RELEASES.indexOf(release) + 1)) {
      await migrateUpTo(sql, each.last);
      await insertRows(each.rows);
    }
    before = await readRows(await columnsOf(sql));
    if (release === RELEASES.at(-1)) await backUpWithNewVersion();
    folder = await laterMigrations(LATER);
    await migrate(url, folder);
  });
  afterAll(async () => {
    await sql.end({ timeout: 5 });
    await rm(folder, { recursive: true });
  });

  async function insertRows(file: string): Promise<void> {
    const rows = await readFile(join(import.meta.dirname, "testdata", file), "utf8");
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx.unsafe(rows);
    });
  }

  /** The upgrade command makes a backup before the migration. */
  async function backUpWithNewVersion(): Promise<void> {
    const connection = connect(url, { max: 1 });
    const id = await recordStart(connection.db, "/mnt/before-upgrade");
    await recordFailure(connection.db, id, { error: "disk full", stored: null });
    await connection.close();
    await sql`delete from backups where id = ${id}`;
  }

  /** Each row of each table as text, by table. */
  async function readRows(columns: Map<string, string[]>): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>();
    for (const [table, names] of columns) {
      const rows = await sql`
        select row_to_json(kept)::text as line
        from (select ${sql(names)} from ${sql(table)}) as kept order by 1`;
      found.set(
        table,
        rows.map(({ line }) => line as string),
      );
    }
    return found;
  }

  test("keeps every row and value", async () => {
    expect([...before.values()].filter((rows) => rows.length === 0)).toEqual([]);
    expect(before.size).toBeGreaterThan(60);
    const columns = await columnsOf(sql);
    for (const [table, rows] of before) {
      const names = Object.keys(JSON.parse(rows[0]!) as object);
      expect(columns.get(table), table).toEqual(expect.arrayContaining(names));
      const after = await readRows(new Map([[table, names]]));
      expect(after.get(table), table).toEqual(rows);
    }
  });

  test("has the values that the new migration computes from its rows", async () => {
    const counted = await sql`select subject, word_count as words from emails`;
    expect(counted.length).toBeGreaterThan(0);
    for (const { subject, words } of counted)
      expect(words).toBe((subject as string).split(" ").length);
  });

  test("ends up with the same schema as a new database", async () => {
    const freshUrl = await anEmptyDatabase("new");
    await migrate(freshUrl, folder);
    const fresh = postgres(freshUrl, { max: 1, onnotice: () => {} });
    try {
      expect(await columnsOf(sql)).toEqual(await columnsOf(fresh));
      expect(await namesOf(sql)).toEqual(await namesOf(fresh));
    } finally {
      await fresh.end();
    }
  });

  test("has every recipient accounted for", async () => {
    const connection = connect(url, { max: 2 });
    try {
      const ledger = await auditLedger(connection.db);
      expect(ledger.accepted).toBeGreaterThan(10);
      expect(ledger.unaccounted).toBe(0);
    } finally {
      await connection.close();
    }
  });
});

/** Columns by table, without generated ones. */
async function columnsOf(sql: postgres.Sql): Promise<Map<string, string[]>> {
  const rows = await sql`
    select table_name as table, array_agg(column_name::text order by column_name) as columns
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER'
    group by table_name order by table_name`;
  return new Map(rows.map(({ table, columns }) => [table as string, columns as string[]]));
}

/** Definitions of indexes and constraints, from Postgres. */
async function namesOf(sql: postgres.Sql): Promise<unknown[]> {
  const rows = await sql`
    select indexdef as definition from pg_indexes where schemaname = 'public'
    union all
    select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
    from pg_constraint where connamespace = 'public'::regnamespace order by 1`;
  return [...rows];
}
