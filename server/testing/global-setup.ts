import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { settings } from "#drizzle/schema/index.ts";
import { connect } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";

import { createTemplate } from "./databases.ts";

/** Once per test run, for all its projects: a Postgres with a template database that has every migration. */
export async function setup() {
  if (process.env.POSTHOUSE_TEST_SERVER) return undefined;
  const folder = await mkdtemp(join(tmpdir(), "posthouse-test-"));
  await chmod(folder, 0o755);
  const server = await startEmbeddedPostgres({
    folder: join(folder, "postgres"),
    settings: { fsync: "off", full_page_writes: "off", synchronous_commit: "off" },
  });
  await createTemplate(server.url, prepare);
  process.env.POSTHOUSE_TEST_SERVER = server.url;

  return async function teardown() {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** Raises the rate limits for all tests except their own. */
async function prepare(url: string): Promise<void> {
  await migrate(url);
  const connection = connect(url, { max: 1 });
  await connection.db.insert(settings).values([
    { name: "request_rate_per_second", value: 10_000 },
    { name: "requests_in_progress", value: 10_000 },
  ]);
  await connection.close();
}
