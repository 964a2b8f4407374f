import { sql } from "drizzle-orm";

import type { Queue } from "#server/core/sending/outbox/renew-leases.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Puts leased rows aside, because what they are is held: they are not due until the hold ends, and no
 * claim passes over them again. Rows that are no longer `owner`'s stay as they are.
 */
export async function park(db: Db, owner: string, rowIds: string[], queue: Queue): Promise<void> {
  if (rowIds.length === 0) return;
  await db.execute(sql`
    update ${sql.identifier(queue)}
    set next_attempt_at = 'infinity', lease_until = null, lease_owner = null
    where id = any(array(select value::bigint from jsonb_array_elements_text(${JSON.stringify(rowIds)}::jsonb)))
      and lease_owner = ${owner}::uuid`);
}
