import { sql } from "drizzle-orm";

import type { Queue } from "#server/core/sending/outbox/renew-leases.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Parks leased rows that turned out to be on hold: `next_attempt_at` is infinity until the hold ends, so that leasing
 * skips them. Skips rows that `owner` no longer leases.
 */
export async function park(db: Db, owner: string, rowIds: string[], queue: Queue): Promise<void> {
  if (rowIds.length === 0) return;
  await db.execute(sql`
    update ${sql.identifier(queue)}
    set next_attempt_at = 'infinity', lease_until = null, lease_owner = null
    where id = any(array(select value::bigint from jsonb_array_elements_text(${JSON.stringify(rowIds)}::jsonb)))
      and lease_owner = ${owner}::uuid`);
}
