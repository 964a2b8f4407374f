import { sql } from "drizzle-orm";

import { systemChecks } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { CHECKS, type CheckName } from "./checks.ts";
import type { Finding } from "./finding.ts";
import { RUN_SECONDS_MAX } from "./run-checks.ts";

/** A check with its last finding. */
export type KnownCheck = {
  name: CheckName;
  label: string;
  /** Null until the check has completed once. */
  state: Finding["state"] | null;
  found: string;
  advice: string | null;
  command: string | null;
  checkedAt: string | null;
  isRunning: boolean;
};

/** All checks with their last findings, and whether they are running. */
export async function listChecks(db: Db): Promise<KnownCheck[]> {
  const rows = await db
    .select({
      name: systemChecks.name,
      state: systemChecks.state,
      found: systemChecks.found,
      advice: systemChecks.advice,
      command: systemChecks.command,
      checkedAt: systemChecks.checkedAt,
      isRunning: sql<boolean>`coalesce(${systemChecks.checkedAt} < ${systemChecks.startedAt}, true)
        and ${systemChecks.startedAt} > clock_timestamp() - make_interval(secs => ${RUN_SECONDS_MAX})`,
    })
    .from(systemChecks);
  const known = new Map(rows.map((row) => [row.name, row]));
  return CHECKS.map(({ id: name, label }) => ({ ...NOT_RUN, ...known.get(name), name, label }));
}

const NOT_RUN = {
  ...{ state: null, found: "", advice: null, command: null, checkedAt: null },
  isRunning: false,
};
