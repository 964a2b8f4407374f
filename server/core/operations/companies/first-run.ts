import { config } from "#server/config.ts";
import { startChecks } from "#server/core/operations/system-checks/run-checks.ts";
import type { Db } from "#server/db/client.ts";

import { getSetUpState } from "./set-up.ts";

export type FirstRunState = {
  state: Awaited<ReturnType<typeof getSetUpState>>;
  /** Null without a valid token. */
  server: { hostname: string; url: string; isLocal: boolean } | null;
};

// Older findings could be from another network.
const FRESH_SECONDS = 60;

/** The state of the first run. With a valid token, starts the system checks, so that they end while the form is filled in. */
export async function getFirstRunState(db: Db, token: string): Promise<FirstRunState> {
  const state = await getSetUpState(db, token);
  if (state !== "open") return { state, server: null };
  await startChecks(db, { olderThanSeconds: FRESH_SECONDS });
  const { hostname, baseUrl: url, localMode: isLocal } = config();
  return { state, server: { hostname, url, isLocal } };
}
