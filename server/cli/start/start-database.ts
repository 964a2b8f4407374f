import type { Display } from "#server/cli/display.mjs";
import type { Config } from "#server/config.ts";
import { checkpoint } from "#server/postgres/checkpoint.ts";
import { clusterFolder } from "#server/postgres/cluster.ts";
import { reachDatabase } from "#server/postgres/reach-database.ts";
import { embeddedPostgresRun } from "#server/postgres/run-embedded.ts";

import type { Parts } from "./parts.ts";
import type { TaskProcess } from "./startup-tasks/start-task-process.ts";

/**
 * Starts and supervises the embedded database, or connects to the operator's, and migrates it to this version's
 * schema.
 *
 * @returns its connection string
 */
export async function startDatabase(
  config: Config,
  { parts, tasks }: { parts: Parts; tasks: TaskProcess },
  display: Display,
): Promise<string> {
  let url = config.databaseUrl ?? "";
  await display.step("Postgres", async () => {
    if (url) {
      const answered = await reachDatabase(url);
      await tasks.run({ task: "requireDurableCommits", databaseUrl: url });
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
  await tasks.run({ task: "migrate", databaseUrl: url });
  return url;
}
