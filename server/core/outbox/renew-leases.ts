import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { LEASE_SECONDS } from "./claim-due.ts";

/**
 * Extends the leases that `owner` still holds, and returns the ids of those. A row that is missing in
 * the answer is settled, is being settled, or belongs to another worker now.
 */
export async function renewLeases(db: Db, owner: string, outboxIds: string[]): Promise<string[]> {
  if (outboxIds.length === 0) return [];
  // Locked rows are skipped: waiting for the outcome batch that holds them could end in a deadlock with it.
  const rows = await db.execute<{ id: string }>(sql`
    with held as materialized (
      select id from outbox
      where id = any(array(select value::bigint from jsonb_array_elements_text(${JSON.stringify(outboxIds)}::jsonb)))
        and lease_owner = ${owner}::uuid
      for no key update skip locked
    )
    update outbox set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    from held where outbox.id = held.id
    returning outbox.id::text as id`);
  return rows.map(({ id }) => id);
}
