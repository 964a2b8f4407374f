import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { type JobName, type JobPayload, jobs } from "./catalogue.ts";

type Options = {
  runAt?: Date | undefined;
  /** Jobs with higher numbers run later; 0 by default. */
  priority?: number;
};

/**
 * Adds a job in the caller's transaction, so that it exists if and only if that commits; replaces a waiting job with the
 * same key. Uses SQL because addJob of graphile-worker has its own connection and would commit separately.
 */
export async function enqueue<Name extends JobName>(
  db: Db,
  name: Name,
  payload: JobPayload<Name>,
  options: Options = {},
): Promise<void> {
  await enqueueAll(db, name, [payload], options);
}

/** Like `enqueue`, for many jobs in one statement. */
export async function enqueueAll<Name extends JobName>(
  db: Db,
  name: Name,
  payloads: JobPayload<Name>[],
  { runAt, priority }: Options = {},
): Promise<void> {
  const { key, queue } = jobs[name];
  const given = payloads.map((payload) => ({
    payload,
    key: key(payload),
    queue: queue?.(payload),
  }));
  await db.execute(sql`
    select graphile_worker.add_job(
      identifier => ${name},
      payload => given.payload,
      queue_name => given.queue,
      run_at => ${runAt?.toISOString() ?? null}::timestamptz,
      job_key => given.key,
      priority => ${priority ?? null}::integer
    ) from json_to_recordset(${JSON.stringify(given)}::json) as given(payload json, key text, queue text)`);
}

/**
 * Unlocks the jobs of runners that were killed; graphile-worker itself would leave them locked for four
 * hours. A runner lives as long as it has a connection, which bears its name (`application_name`).
 * Postgres ends a killed process's connections at once and those of an unreachable host after 30 s. If a
 * live runner loses its connections for a moment, its jobs may run twice, which every job allows for. A job in its second or
 * a later attempt waits as after an error, in case it kills its runners.
 *
 * @returns the names of those runners
 */
export async function unlockJobsOfDeadRunners(db: Db): Promise<string[]> {
  const dead = await db.execute<{ runner: string }>(sql`
    select distinct locked_by as runner from graphile_worker.jobs
    where locked_by is not null and not exists (
      select from pg_stat_activity where application_name = locked_by)`);
  const runners = dead.map(({ runner }) => runner);
  if (runners.length === 0) return [];
  const names = sql`${sql.param(runners)}::text[]`;
  await db.transaction(async (tx) => {
    const repeated = await tx.execute<{ id: string }>(sql`
      select id from graphile_worker.jobs where locked_by = any(${names}) and attempts > 1`);
    await tx.execute(sql`select graphile_worker.force_unlock_workers(${names})`);
    const ids = repeated.map(({ id }) => id);
    await tx.execute(sql`
      select graphile_worker.reschedule_jobs(array[id], run_at => now() + exp(least(attempts, 10)) * interval '1 second')
      from graphile_worker.jobs where id = any(${sql.param(ids)}::bigint[])`);
  });
  return runners;
}
