import { config } from "#server/config.ts";
import { startChecks } from "#server/core/operations/system-checks/run-checks.ts";
import type { Db } from "#server/db/client.ts";

import { setUpState } from "./set-up.ts";

export type FirstRunState = {
  state: Awaited<ReturnType<typeof setUpState>>;
  /** Only for who may set up. */
  server: { hostname: string; url: string; isLocal: boolean } | null;
};

/** What was found an hour ago may be about another network. */
const FRESH_SECONDS = 60;

/**
 * Where the first run stands for somebody who comes with `token`. For who may go on, the checks of the
 * server begin: they have ended by the time that the form is filled in.
 */
export async function firstRunState(db: Db, token: string): Promise<FirstRunState> {
  const state = await setUpState(db, token);
  if (state !== "open") return { state, server: null };
  await startChecks(db, { olderThanSeconds: FRESH_SECONDS });
  const { hostname, baseUrl: url, localMode: isLocal } = config();
  return { state, server: { hostname, url, isLocal } };
}
