import { setTimeout as sleep } from "node:timers/promises";

import type { Config } from "#server/config.ts";
import { localUrlHost } from "#server/core/operations/system-checks/local-address.ts";
import { toAppUrl } from "#server/postgres/app-role.ts";
import { clusterFolder, runningPort, urlAt } from "#server/postgres/cluster.ts";

import { CommandError } from "./failures.ts";
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

const POLL_MS = 250;

type Options = {
  timeoutMs: number;
  /** Answers of `/readyz`, besides its OK, that count as ready. */
  accepted?: RegExp;
  /** Called before each look; throws when it is pointless to wait on. */
  check?: () => Promise<void>;
};

/**
 * Waits until every process of the appliance on this machine responds.
 *
 * @throws Error with what doesn't respond
 */
export async function untilReady(
  config: Config,
  { timeoutMs, accepted, check }: Options,
): Promise<string> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    await check?.();
    const state = await readyState(config);
    if (state === "ready" || accepted?.test(state)) return "ready";
    if (performance.now() > deadline)
      throw new Error(`not ready after ${timeoutMs / 1_000} s (${state})`);
    await sleep(POLL_MS);
  }
}

async function readyState(config: Config): Promise<string> {
  // Without the web role, the database is all that can be asked from here.
  if (!config.roles.has("web"))
    return config.databaseUrl || (await findDatabase(config.dataFolder)) ? "ready" : "no database";
  const url = `http://${localUrlHost(config.bind)}:${config.ports.web}/readyz`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    return answer.ok ? "ready" : (await answer.text()).trim();
  } catch {
    return `nothing responds on port ${config.ports.web}`;
  }
}
