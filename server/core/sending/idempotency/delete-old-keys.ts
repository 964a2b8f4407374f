import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { inBatches } from "#server/db/in-batches.ts";

import { RETENTION_HOURS } from "./acquire-key.ts";

const BATCH = 1_000;

/** Deletes expired idempotency keys in small transactions. @returns the number deleted */
export function deleteOldIdempotencyKeys(db: Db): Promise<number> {
  return inBatches(BATCH, () => deleteBatch(db));
}

async function deleteBatch(db: Db): Promise<number> {
  const rows = await db.execute(sql`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys
      where created_at < statement_timestamp() - make_interval(hours => ${RETENTION_HOURS})
      order by created_at limit ${BATCH} for update skip locked))
    returning 1`);
  return rows.length;
}
