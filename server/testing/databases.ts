import postgres from "postgres";

import { lockConnection } from "#server/db/advisory-locks.ts";

const TEMPLATE = "posthouse_template";

/** The URL of another database on the same server. */
export function urlOf(database: string, serverUrl = serverUrlOfThisRun()): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

function serverUrlOfThisRun(): string {
  const url = process.env.POSTHOUSE_TEST_SERVER;
  if (!url) throw new Error("No Postgres for tests: run them through vitest");
  return url;
}

async function asServerAdmin(serverUrl: string, work: (sql: postgres.Sql) => Promise<void>) {
  const sql = postgres(serverUrl, { max: 1, max_lifetime: null, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}

/** Creates the database that every test worker copies. */
export async function createTemplate(
  serverUrl: string,
  migrate: (url: string) => Promise<void>,
): Promise<void> {
  await asServerAdmin(serverUrl, async (sql) => {
    await sql.unsafe(`create database ${TEMPLATE}`);
  });
  await migrate(urlOf(TEMPLATE, serverUrl));
}

/** Creates a copy of the template, dropping any existing one of this name. */
export async function recreateFromTemplate(database: string): Promise<string> {
  await asServerAdmin(serverUrlOfThisRun(), async (sql) => {
    await sql.unsafe(`drop database if exists ${database} with (force)`);
    // Copying locks the template, so workers that start together take turns.
    await lockConnection(sql, "testTemplate");
    // Takes a fifth of the CPU time of writing everything to the WAL.
    await sql.unsafe(`create database ${database} template ${TEMPLATE} strategy file_copy`);
  });
  return urlOf(database);
}

/** Creates a database without tables for this test worker, dropping any existing one of this name. */
export async function anEmptyDatabase(name: string): Promise<string> {
  const database = `posthouse_${name}_${process.env.VITEST_POOL_ID ?? "0"}`;
  await asServerAdmin(serverUrlOfThisRun(), async (sql) => {
    await sql.unsafe(`drop database if exists ${database} with (force)`);
    await sql.unsafe(`create database ${database} template template0`);
  });
  return urlOf(database);
}
