import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/**
 * Unlocks the jobs of runners that were killed; graphile-worker itself would leave them locked for four
 * hours. A runner lives as long as it has a connection, which bears its name (`application_name`).
 * Postgres ends a killed process's connections at once and those of an unreachable host after 30 s. If a
 * live runner loses its connections for a moment, its jobs may run twice, which every job allows for.
 *
 * @returns the names of those runners
 */
export async function unlockJobsOfDeadRunners(db: Db): Promise<string[]> {
  const dead = await db.execute<{ runner: string }>(sql`
    select distinct locked_by as runner from graphile_worker.jobs
    where locked_by is not null and not exists (
      select from pg_stat_activity where application_name = locked_by)`);
  const runners = dead.map(({ runner }) => runner);
  if (runners.length > 0)
    await db.execute(
      sql`select graphile_worker.force_unlock_workers(${sql.param(runners)}::text[])`,
    );
  return runners;
}
