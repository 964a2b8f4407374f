import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { LEASE_SECONDS } from "./lease-due-emails.ts";

/** Tables with leased rows. */
export type Queue = "outbox" | "message_recipients";

/**
 * Extends the leases of `owner`. Returns the ids of the renewed rows: a missing row has been recorded, is
 * being recorded, or belongs to another worker.
 */
export async function renewLeases(
  db: Db,
  owner: string,
  rowIds: string[],
  queue: Queue = "outbox",
): Promise<string[]> {
  if (rowIds.length === 0) return [];
  const table = sql.identifier(queue);
  // Skip locked rows: waiting for the batch of outcomes that holds them could deadlock.
  const rows = await db.execute<{ id: string }>(sql`
    with held as materialized (
      select id from ${table}
      where id = any(array(select value::bigint from jsonb_array_elements_text(${JSON.stringify(rowIds)}::jsonb)))
        and lease_owner = ${owner}::uuid
      for no key update skip locked
    )
    update ${table} set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    from held where ${table}.id = held.id
    returning ${table}.id::text as id`);
  return rows.map(({ id }) => id);
}
