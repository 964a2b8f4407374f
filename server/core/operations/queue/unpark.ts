import { sql } from "drizzle-orm";

import type { Queue } from "#server/core/sending/outbox/renew-leases.ts";
import type { Db } from "#server/db/client.ts";

import { listHeldCompanies } from "./holds.ts";
import { rowCompanyId } from "./internal/match-subject.ts";

const BATCH = 2_000;

/**
 * Makes a batch of parked rows that are no longer on hold due at once. Their retries start over, so that
 * they don't bounce because of the time on hold.
 */
export async function unpark(db: Db, queue: Queue): Promise<{ rows: number; isDone: boolean }> {
  const isHeld = sql`(
    q.destination in (select subject from queue_holds where kind = 'destination')
    or ${rowCompanyId(queue)} in ${listHeldCompanies})`;
  const rows = await db.execute(sql`
    with free as materialized (
      select id from ${sql.identifier(queue)} q
      where lease_until is null and next_attempt_at = 'infinity'
        ${queue === "outbox" ? sql`` : sql`and state = 'queued'`} and not ${isHeld}
      limit ${BATCH} for update skip locked
    )
    update ${sql.identifier(queue)}
    set next_attempt_at = clock_timestamp(), created_at = clock_timestamp()
    where id = any(array(select id from free)) returning id`);
  return { rows: rows.length, isDone: rows.length < BATCH };
}
