import type { Display } from "#server/cli/display.mjs";
import type { Config } from "#server/config.ts";
import { requireDurableCommits } from "#server/db/durable-commits.ts";
import { migrate } from "#server/db/migrate.ts";
import { checkpoint } from "#server/postgres/checkpoint.ts";
import { clusterFolder } from "#server/postgres/cluster.ts";
import { reachDatabase } from "#server/postgres/reach-database.ts";
import { embeddedPostgresRun } from "#server/postgres/run-embedded.ts";

import type { Parts } from "./parts.ts";

/**
 * Starts and supervises the embedded database, or connects to the operator's, and migrates it to this version's
 * schema.
 *
 * @returns its connection string
 */
export async function startDatabase(
  config: Config,
  parts: Parts,
  display: Display,
): Promise<string> {
  let url = config.databaseUrl ?? "";
  await display.step("Postgres", async () => {
    if (url) {
      const answered = await reachDatabase(url);
      await requireDurableCommits(url);
      return answered;
    }
    const postgres = parts.keep(
      "postgres",
      embeddedPostgresRun({
        folder: clusterFolder(config.dataFolder),
        onLine: parts.log("postgres"),
        onUrl: (running) => (url = running),
      }),
      // Runs while the other parts stop, so that the shutdown has little left to write.
      { onStopping: () => checkpoint(url) },
    );
    await postgres.started;
    return `embedded, on port ${new URL(url).port}`;
  });
  await display.step("Schema", () => migrate(url));
  return url;
}
