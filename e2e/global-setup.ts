import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { migrate } from "#server/db/migrate.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { createTemplate } from "#server/testing/databases.ts";

const BUILD = join(import.meta.dirname, "../.next/BUILD_ID");

/** Starts Postgres for the run, with a migrated template database that each appliance copies. */
export default async function setup() {
  if (!existsSync(BUILD)) throw new Error("There is no build to test: run `npm run build` first");
  const folder = await mkdtemp(join(tmpdir(), "posthouse-e2e-"));
  await chmod(folder, 0o755);
  const server = await startEmbeddedPostgres({
    folder: join(folder, "postgres"),
    settings: { fsync: "off", full_page_writes: "off", synchronous_commit: "off" },
  });
  const teardown = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await createTemplate(server.url, migrate);
  } catch (error) {
    await teardown();
    throw error;
  }
  process.env.POSTHOUSE_TEST_SERVER = server.url;
  return teardown;
}
