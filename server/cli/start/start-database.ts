import type { Display } from "#server/cli/display.mjs";
import type { Config } from "#server/config.ts";
import { appliedSchema } from "#server/db/applied-schema.ts";
import { knownSchema } from "#server/db/known-schema.ts";
import { checkpoint } from "#server/postgres/checkpoint.ts";
import { clusterFolder } from "#server/postgres/cluster.ts";
import { reachDatabase } from "#server/postgres/reach-database.ts";
import { embeddedPostgresRun } from "#server/postgres/run-embedded.ts";

import type { Parts } from "./parts.ts";
import type { TaskProcess } from "./startup-tasks/start-task-process.ts";
import type { WayBack } from "./upgrade/way-back.ts";

type Tools = { parts: Parts; tasks: TaskProcess; wayBack: WayBack };

/**
 * Starts and supervises the embedded database, or connects to the operator's, and migrates it to this version's
 * schema. Copies the embedded one before it changes.
 *
 * @returns its connection string
 */
export async function startDatabase(
  config: Config,
  tools: Tools,
  display: Display,
): Promise<string> {
  const url = await (config.databaseUrl
    ? reachOwn(config.databaseUrl, tools, display)
    : startEmbedded(config.dataFolder, tools, display));
  await tools.tasks.run({ task: "migrate", databaseUrl: url });
  return url;
}

async function reachOwn(url: string, { tasks }: Tools, display: Display): Promise<string> {
  await display.step("Postgres", async () => {
    const answered = await reachDatabase(url);
    await tasks.run({ task: "requireDurableCommits", databaseUrl: url });
    return answered;
  });
  return url;
}

async function startEmbedded(
  dataFolder: string,
  { parts, wayBack }: Tools,
  display: Display,
): Promise<string> {
  await wayBack.beforeStart();
  let url = "";
  await display.step("Postgres", async () => {
    const postgres = parts.keep(
      "postgres",
      embeddedPostgresRun({
        folder: clusterFolder(dataFolder),
        onLine: parts.log("postgres"),
        onUrl: (running) => (url = running),
      }),
      // Runs while the other parts stop, so that the shutdown has little left to write.
      { onStopping: () => checkpoint(url) },
    );
    await postgres.started;
    return `embedded, on port ${new URL(url).port}`;
  });
  const applied = await appliedSchema(url);
  if (applied !== null && applied < knownSchema())
    await display.step("Copy of the database, in case the upgrade fails", () =>
      wayBack.copy(url, applied),
    );
  else await wayBack.deletePrepared();
  return url;
}
