import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { migrate } from "#server/db/migrate.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";

import { createTemplate } from "./databases.ts";

/** Once per test run: a Postgres of its own with a template database holding every migration. */
export async function setup() {
  const folder = await mkdtemp(join(tmpdir(), "posthouse-test-"));
  await chmod(folder, 0o755);
  const server = await startEmbeddedPostgres({
    folder: join(folder, "postgres"),
    settings: { fsync: "off", full_page_writes: "off", synchronous_commit: "off" },
  });
  await createTemplate(server.url, migrate);
  process.env.POSTHOUSE_TEST_SERVER = server.url;

  return async function teardown() {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
