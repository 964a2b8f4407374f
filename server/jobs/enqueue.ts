import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { type JobName, type JobPayload, jobs } from "./catalogue.ts";

/**
 * Adds a job in the caller's transaction, so that it exists if and only if that commits; replaces a waiting job with the
 * same key. Uses SQL because addJob of graphile-worker has its own connection and would commit separately.
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
  const { queue = null } = jobs[name];
  const given = payloads.map((payload) => ({ payload, key: jobs[name].key(payload) }));
  await db.execute(sql`
    select graphile_worker.add_job(
      identifier => ${name},
      payload => given.payload,
      queue_name => ${queue}::text,
      run_at => ${runAt?.toISOString() ?? null}::timestamptz,
      job_key => given.key
    ) from json_to_recordset(${JSON.stringify(given)}::json) as given(payload json, key text)`);
}
