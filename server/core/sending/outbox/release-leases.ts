import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import type { Queue } from "./renew-leases.ts";

/** Releases rows that `owner` won't deliver; they are due again at once. */
export async function releaseLeases(
  db: Db,
  owner: string,
  rowIds: string[],
  queue: Queue = "outbox",
): Promise<void> {
  if (rowIds.length === 0) return;
  await db.execute(sql`
    update ${sql.identifier(queue)} set lease_until = null, lease_owner = null
    where id = any(array(select value::bigint from jsonb_array_elements_text(${JSON.stringify(rowIds)}::jsonb)))
      and lease_owner = ${owner}::uuid`);
}
