import { eq, sql } from "drizzle-orm";

import { systemChecks } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import type { Db } from "#server/db/client.ts";
import { createResolver } from "#server/gateways/dns.ts";

import { type CheckContext, type CheckName, CHECKS, runCheckCombined } from "./checks.ts";
import type { Finding } from "./finding.ts";

/** A run that takes longer is considered dead. */
const RUN_SECONDS_MAX = 60;

/**
 * Starts all checks that aren't running and whose last finding is older than `olderThanSeconds`. Concurrent calls, in
 * any process, start each check once. Findings are stored as they come in.
 *
 * @param options.troubledSeconds instead of `olderThanSeconds` for findings that aren't ok
 * @returns `done` resolves when the started checks have ended; never rejects
 */
export async function startChecks(
  db: Db,
  {
    olderThanSeconds = 0,
    troubledSeconds = olderThanSeconds,
    around = { config: config(), resolver: createResolver(config()) },
  }: {
    olderThanSeconds?: number;
    troubledSeconds?: number;
    around?: Omit<CheckContext, "db">;
  } = {},
): Promise<{ done: Promise<void> }> {
  const names = `{${CHECKS.map(({ id }) => id).join(",")}}`;
  const started = await db.execute<{ name: CheckName }>(sql`
    insert into ${systemChecks} as known (name, started_at)
    select name, clock_timestamp() from unnest(${names}::text[]) as name
    on conflict (name) do update set started_at = excluded.started_at
    where coalesce(known.checked_at, '-infinity')
        < clock_timestamp() - make_interval(secs =>
          case known.state when 'ok' then ${olderThanSeconds}::int else ${troubledSeconds}::int end)
      and (known.checked_at >= known.started_at
        or known.started_at < clock_timestamp() - make_interval(secs => ${RUN_SECONDS_MAX}))
    returning name`);
  const ids = new Set(started.map(({ name }) => name));
  const all = CHECKS.filter(({ id }) => ids.has(id)).map(async (check) => {
    await storeFinding(db, check.id, await runCheckCombined(check, { db, ...around }));
  });
  // A check whose finding couldn't be stored can run again after RUN_SECONDS_MAX.
  return { done: Promise.allSettled(all).then(() => {}) };
}

async function storeFinding(
  db: Db,
  name: CheckName,
  { state, found, advice, command }: Finding,
): Promise<void> {
  await db
    .update(systemChecks)
    .set({
      state,
      found,
      advice: advice ?? null,
      command: command ?? null,
      checkedAt: sql`clock_timestamp()`,
    })
    .where(eq(systemChecks.name, name));
}

/** A check with its last finding. */
export type KnownCheck = Awaited<ReturnType<typeof listChecks>>[number];

/** All checks with their last findings, and whether they are running. */
export async function listChecks(db: Db) {
  const rows = await db
    .select({
      name: systemChecks.name,
      /** Null until the check has completed once. */
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

export const NOT_RUN = {
  state: null,
  found: "",
  advice: null,
  command: null,
  checkedAt: null,
  isRunning: false,
};
