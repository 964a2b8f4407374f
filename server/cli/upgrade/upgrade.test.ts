import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { preparedFolder } from "#server/cli/start/rollback.ts";
import { connect, type Connection } from "#server/db/client.ts";
import { knownSchema } from "#server/db/schema-version.ts";
import { POSTGRES_MAJOR } from "#server/postgres/binaries.ts";
import { clusterFolder, hasCluster } from "#server/postgres/cluster.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "#server/postgres/embedded-postgres.ts";
import { lockFile } from "#server/processes/run-lock.ts";
import { ensureBuilt } from "#server/testing/ensure-built.ts";
import { recordEarlierMigration } from "#server/testing/old-schema.ts";
import { runPosthouse } from "#server/testing/run-posthouse.ts";
import { applianceEnv } from "#server/testing/start-appliance.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 600_000 });

const dataFolder = mkdtempSync(join(tmpdir(), "posthouse-up-"));
let server: EmbeddedPostgres;
let connection: Connection;

beforeAll(async () => {
  await ensureBuilt();
  server = await startEmbeddedPostgres({ folder: clusterFolder(dataFolder) });
  connection = connect(server.url, { max: 2 });
  await recordEarlierMigration(connection.sql);
});
afterAll(async () => {
  await connection.close();
  await server.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

/** Runs the command beside a running appliance, which holds the lock of its data folder. */
async function upgrade(...args: string[]) {
  const file = join(dataFolder, "posthouse.pid");
  writeFileSync(file, `pid ${process.pid} on this host\n`);
  const lock = await lockFile(file, { waitMs: 0 });
  try {
    const env = await applianceEnv(dataFolder);
    return await runPosthouse(["upgrade", "--root", join(dataFolder, "nothing"), ...args], env);
  } finally {
    lock!.release();
  }
}

const appliedMigration = async () => {
  const [row] = await connection.sql<[{ newest: number }]>`
    select max(created_at)::float8 as newest from drizzle.__drizzle_migrations`;
  return row.newest;
};

test("copies the database for rollback, and leaves the one in use as it is", async () => {
  const failed = join(dataFolder, "upgrade.json");
  const record = {
    from: 1,
    to: knownSchema(),
    postgres: POSTGRES_MAJOR,
    startedAt: "",
    failure: "disk full",
  };
  writeFileSync(failed, JSON.stringify(record));
  const { code, stdout, stderr } = await upgrade("--json");
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    version: expect.any(String) as string,
    migrates: true,
    upgraded: false,
    backup: null,
    outage_seconds: null,
  });
  expect(stderr).toContain("! No backup: the previous version has no backups");
  expect(await appliedMigration()).toBeLessThan(knownSchema());
  expect(await hasCluster(preparedFolder(dataFolder))).toBe(true);
  // The next start may try again.
  expect(existsSync(failed)).toBe(false);
});

test("refuses data of a newer version", async () => {
  await connection.sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', ${Date.UTC(2099, 0)})`;
  const { code, stderr } = await upgrade();
  expect(code).toBe(1);
  expect(stderr).toContain("A newer version of Posthouse has used this database");
});
