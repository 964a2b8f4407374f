import { existsSync } from "node:fs";
import { join } from "node:path";

import { migrate } from "#server/db/migrate.ts";
import { startTestPostgres } from "#server/testing/test-postgres.ts";

const BUILD = join(import.meta.dirname, "../.next/BUILD_ID");

/** Starts Postgres for the run, with a migrated template database that each appliance copies. */
export default async function setup() {
  if (!existsSync(BUILD)) throw new Error("There is no build to test: run `npm run build` first");
  return startTestPostgres(migrate);
}
