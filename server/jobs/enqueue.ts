import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { type JobName, type JobPayload, jobs } from "./catalogue.ts";

/**
 * Adds a job in the caller's transaction, so that it exists exactly when the change that asked for it
 * does; a waiting job of the same key is moved instead. Goes through SQL because graphile-worker's own
 * addJob has a connection of its own and would commit separately.
 */
export async function enqueue<Name extends JobName>(
  db: Db,
  name: Name,
  payload: JobPayload<Name>,
  { runAt }: { runAt?: Date | undefined } = {},
): Promise<void> {
  await enqueueAll(db, name, [payload], { runAt });
}

/** Like `enqueue`, for many jobs in one statement. */
export async function enqueueAll<Name extends JobName>(
  db: Db,
  name: Name,
  payloads: JobPayload<Name>[],
  { runAt }: { runAt?: Date | undefined } = {},
): Promise<void> {
  const given = payloads.map((payload) => ({ payload, key: jobs[name].key(payload) }));
  await db.execute(sql`
    select graphile_worker.add_job(
      identifier => ${name},
      payload => given.payload,
      run_at => ${runAt?.toISOString() ?? null}::timestamptz,
      job_key => given.key
    ) from json_to_recordset(${JSON.stringify(given)}::json) as given(payload json, key text)`);
}
