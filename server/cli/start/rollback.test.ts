import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeEach, expect, test, vi } from "vitest";

import { connect } from "#server/db/client.ts";
import { knownSchema } from "#server/db/schema-version.ts";
import { cloneCluster } from "#server/postgres/clone-cluster.ts";
import { clusterFolder } from "#server/postgres/cluster.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { ensureBuilt } from "#server/testing/ensure-built.ts";
import { recordEarlierMigration } from "#server/testing/old-schema.ts";
import { runPosthouse } from "#server/testing/run-posthouse.ts";
import { applianceEnv, startAppliance } from "#server/testing/start-appliance.ts";

import { copyFolder, preparedFolder, type UpgradeRecord } from "./rollback.ts";

// Starts of the whole appliance on a database of an earlier version.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 600_000 });

const folder = mkdtempSync(join(tmpdir(), "posthouse-upgrade-"));
let env: NodeJS.ProcessEnv;
let dataFolder: string;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(async () => {
  await ensureBuilt();
  dataFolder = mkdtempSync(join(folder, "data-"));
  env = await applianceEnv(dataFolder);
  await onDatabase(async (sql) => {
    await recordEarlierMigration(sql);
    await sql`create table kept as select 7 as number`;
  });
});

const recordFile = () => join(dataFolder, "upgrade.json");
const readRecord = () => JSON.parse(readFileSync(recordFile(), "utf8")) as UpgradeRecord;

/** Runs statements on the stopped appliance's database. */
async function onDatabase<T>(
  work: (sql: ReturnType<typeof connect>["sql"], url: string) => Promise<T>,
) {
  const server = await startEmbeddedPostgres({ folder: clusterFolder(dataFolder) });
  const connection = connect(server.url, { max: 1 });
  try {
    return await work(connection.sql, server.url);
  } finally {
    await connection.close();
    await server.stop();
  }
}

/** What the database has: a row of the old version, and its schema. */
const contents = () =>
  onDatabase(async (sql) => {
    const [row] = await sql<[{ newest: number; number: number }]>`
      select max(created_at)::float8 as newest, (select number from kept)
      from drizzle.__drizzle_migrations`;
    return { isOld: row.newest < knownSchema(), number: row.number };
  });

test("a failed migration is rolled back, and not tried again", async () => {
  await onDatabase(async (sql, url) => {
    await cloneCluster(url, clusterFolder(dataFolder), preparedFolder(dataFolder));
    // Makes the migration fail, because it creates this table.
    await sql`create table emails (id uuid)`;
    await sql`update kept set number = 8`;
  });
  const failed = await runPosthouse(["start"], env);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain("updated the copy made by posthouse upgrade");
  expect(failed.stdout).toContain("✗ The upgrade failed, so the database was rolled back");
  expect(existsSync(copyFolder(dataFolder))).toBe(false);
  expect(readRecord().failure).toContain('CREATE TABLE "emails"');
  expect(await contents()).toEqual({ isOld: true, number: 8 });

  const again = await runPosthouse(["start"], env);
  expect(again.code).toBe(1);
  expect(`${again.stdout}${again.stderr}`).toContain("The upgrade to this version failed (");
});

test("an upgrade to a version that doesn't get ready, or is killed before that, is rolled back", async () => {
  const failed = await runPosthouse(["start"], {
    ...env,
    POSTHOUSE_TLS_CERT: recordFile(),
    POSTHOUSE_TLS_KEY: recordFile(),
  });
  expect(failed.code, failed.stdout).toBe(1);
  expect(failed.stdout).toContain("✓ Schema");
  expect(failed.stdout).toContain("✗ The upgrade failed, so the database was rolled back");
  expect(await contents()).toEqual({ isOld: true, number: 7 });

  // As `posthouse upgrade` does, to allow another try.
  rmSync(recordFile());
  const killed = startAppliance(env);
  await killed.says("✓ Schema");
  killed.process.kill("SIGKILL");
  await killed.exited;
  expect(existsSync(copyFolder(dataFolder))).toBe(true);
  // As if the killed version were a newer one than this, and had changed more.
  writeFileSync(recordFile(), JSON.stringify({ ...readRecord(), to: knownSchema() + 1 }));
  await onDatabase((sql) => sql`drop table kept`);

  const previous = startAppliance(env);
  await previous.says("Posthouse is ready");
  expect(previous.output()).toContain(
    "! The upgrade was not completed. The database was rolled back",
  );
  // The start after a rollback is an upgrade too.
  expect(previous.output()).toContain("✓ Copy the database for rollback");
  expect(previous.output()).toContain("✓ Health check: ready");
  expect(existsSync(recordFile())).toBe(false);
  expect(existsSync(copyFolder(dataFolder))).toBe(false);
  previous.process.kill("SIGTERM");
  await previous.exited;
  expect(await contents()).toEqual({ isOld: false, number: 7 });
});
