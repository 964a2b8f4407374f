import { setTimeout as sleep } from "node:timers/promises";

import { toAppUrl } from "#server/postgres/app-role.ts";
import { clusterFolder, runningPort, urlAt } from "#server/postgres/cluster.ts";

import { CommandError } from "./command-error.ts";
import { findSupervisor } from "./start/claim-data-folder.ts";

/** Longer than a supervisor takes to restart Postgres. */
const RESTART_MS = 3_000;

/**
 * Finds the embedded database of the appliance that runs on a data folder, as findAdminDatabase does.
 *
 * @returns the connection string of the appliance's role
 */
export async function findDatabase(dataFolder: string): Promise<string | null> {
  const url = await findAdminDatabase(dataFolder);
  return url && toAppUrl(url);
}

/**
 * Finds the embedded database of the appliance that runs on a data folder.
 *
 * @returns the superuser's connection string, or null when no appliance runs there
 * @throws CommandError when an appliance is running but its database can't be reached, as in another
 *   container
 */
export async function findAdminDatabase(dataFolder: string): Promise<string | null> {
  const folder = clusterFolder(dataFolder);
  const deadline = performance.now() + RESTART_MS;
  for (;;) {
    const supervisor = await findSupervisor(dataFolder);
    if (!supervisor) return null;
    const port = await runningPort(folder);
    if (port) return urlAt(folder, port);
    if (performance.now() > deadline)
      throw new CommandError(
        `Posthouse is running on ${dataFolder} (${supervisor}), but its database can't be reached from here. ` +
          "If it runs in a container, run the command inside it: docker compose exec posthouse posthouse … " +
          "Otherwise see `posthouse logs --process postgres`",
      );
    await sleep(100);
  }
}
