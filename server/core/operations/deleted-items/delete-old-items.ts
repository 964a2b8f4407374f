import { asc, lt, sql } from "drizzle-orm";

import { deletedItems } from "#drizzle/schema/index.ts";
import { createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { deletePermanently } from "./delete-permanently.ts";

const isOld = (days: number) =>
  lt(deletedItems.createdAt, sql`statement_timestamp() - make_interval(days => ${days})`);

/** Counts what `deleteOldItems` would delete. */
export const countOldItems = (db: Db, days: number): Promise<number> =>
  db.$count(deletedItems, isOld(days));

/**
 * Deletes items for good that were deleted so many days ago, each in a transaction of its own. Safe to run concurrently.
 *
 * @returns how many it deleted
 */
export async function deleteOldItems(db: Db, days: number): Promise<number> {
  const old = await db
    .select({ id: deletedItems.id, companyId: deletedItems.companyId })
    .from(deletedItems)
    .where(isOld(days))
    .orderBy(asc(deletedItems.createdAt));
  let deleted = 0;
  for (const { id, companyId } of old) {
    const ctx = createContext(db, companyId, { kind: "system", task: "apply_retention" });
    try {
      await deletePermanently(ctx, id);
      deleted++;
    } catch (error) {
      // Restored, or deleted by someone else, in the meantime.
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return deleted;
}
