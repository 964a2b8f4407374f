import { setTimeout as sleep } from "node:timers/promises";

import { findDatabase } from "#server/cli/find-database.ts";
import type { Config } from "#server/config.ts";
import { localUrlHost } from "#server/core/operations/system-checks/local-address.ts";

import type { ServiceManager } from "./service-manager.ts";

/** A slow machine needs a minute for its first start. */
const READY_TIMEOUT_MS = 240_000;
const POLL_MS = 500;

/** Waits until every process of the service responds. */
export async function untilReady(config: Config, { logCommand }: ServiceManager): Promise<string> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    const state = await readyState(config);
    if (state === "ready") return "ready";
    if (performance.now() > deadline)
      throw new Error(
        `not ready after ${READY_TIMEOUT_MS / 1_000} s (${state}). See the log: ${logCommand}`,
      );
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
