import { sql } from "drizzle-orm";

import { idempotencyKeys } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches } from "#server/db/delete-in-batches.ts";

import { RETENTION_HOURS } from "./acquire-key.ts";

/** Deletes expired idempotency keys. @returns the number of keys deleted */
export function deleteOldIdempotencyKeys(db: Db): Promise<number> {
  const { createdAt } = idempotencyKeys;
  return deleteInBatches(db, idempotencyKeys, {
    where: sql`${createdAt} < statement_timestamp() - make_interval(hours => ${RETENTION_HOURS})`,
    oldestFirst: createdAt,
  });
}
