import { setTimeout as sleep } from "node:timers/promises";

import type { Config } from "#server/config.ts";
import { localUrlHost } from "#server/core/operations/system-checks/local-address.ts";

import { findDatabase } from "./find-database.ts";

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
