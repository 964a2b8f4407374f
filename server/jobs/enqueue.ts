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
  { runAt }: { runAt?: Date } = {},
): Promise<void> {
  await db.execute(sql`
    select graphile_worker.add_job(
      identifier => ${name},
      payload => ${JSON.stringify(payload)}::json,
      run_at => ${runAt?.toISOString() ?? null}::timestamptz,
      job_key => ${jobs[name].key(payload)}
    )`);
}
