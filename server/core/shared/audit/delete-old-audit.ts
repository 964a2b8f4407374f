import { auditEntries } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan } from "#server/db/delete-in-batches.ts";

const isOld = (days: number) => isOlderThan(auditEntries.createdAt, days);

/** Counts what `deleteOldAudit` would delete. */
export const countOldAudit = (db: Db, days: number): Promise<number> =>
  db.$count(auditEntries, isOld(days));

/** Deletes audit entries older than `days`. @returns the number of entries deleted */
export function deleteOldAudit(db: Db, days: number): Promise<number> {
  return deleteInBatches(db, auditEntries, { where: isOld(days) });
}
