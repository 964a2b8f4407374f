import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { LEASE_SECONDS } from "./lease-due-emails.ts";

/** The tables of rows that workers lease. */
export type Queue = "outbox" | "message_recipients";

/**
 * Extends the leases that `owner` still holds, and returns the ids of those. A row that is missing in
 * the answer is settled, is being settled, or belongs to another worker now.
 */
export async function renewLeases(
  db: Db,
  owner: string,
  rowIds: string[],
  queue: Queue = "outbox",
): Promise<string[]> {
  if (rowIds.length === 0) return [];
  const table = sql.identifier(queue);
  // Locked rows are skipped: waiting for the outcome batch that holds them could end in a deadlock with it.
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
