import { settings } from "#drizzle/schema/index.ts";
import { connect } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";

import { startTestPostgres } from "./test-postgres.ts";

/** Once per test run, for all its projects. */
export async function setup() {
  if (process.env.POSTHOUSE_TEST_SERVER) return undefined;
  return startTestPostgres(prepare);
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
