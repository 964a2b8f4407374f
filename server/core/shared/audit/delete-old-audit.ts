import { and, asc, desc, eq, isNotNull, isNull, lte, not, sql } from "drizzle-orm";

import { auditEntries, companies } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan } from "#server/db/batches.ts";

import { getSealedRange, saveSealedRange } from "./audit-seal.ts";

const BATCH = 2_000;

const isOld = (days: number) => isOlderThan(auditEntries.createdAt, days);

/** Counts what `deleteOldAudit` would delete. */
export const countOldAudit = (db: Db, days: number): Promise<number> =>
  db.$count(auditEntries, isOld(days));

/**
 * Deletes audit entries older than `days`, except those sealed after a newer one. Moves the start of the sealed range past the last
 * deleted entry, so that the rest can still be verified.
 *
 * @returns the number of entries deleted
 */
export async function deleteOldAudit(db: Db, days: number): Promise<number> {
  let deleted = await deleteInBatches(db, auditEntries, {
    where: and(isNull(auditEntries.sequence), isOld(days))!,
  });
  const concerned = await db.execute<{ id: string }>(sql`
    select c.id from ${companies} c where exists (
      select from ${auditEntries} where ${auditEntries.companyId} = c.id and ${isOld(days)})`);
  for (const { id: companyId } of concerned) {
    const last = await lastDeletable({ db, companyId }, days);
    for (let left = last !== null; left;)
      left = await db.transaction(async (tx) => {
        const size = await deleteBatch({ db: tx, companyId }, last!);
        deleted += size;
        return size === BATCH;
      });
  }
  return deleted;
}

/** The sequence of the last entry before the first one that is kept. */
async function lastDeletable({ db, companyId }: CompanyScope, days: number) {
  const { sequence } = auditEntries;
  const isSealed = and(eq(auditEntries.companyId, companyId), isNotNull(sequence));
  const sealed = db.select({ sequence }).from(auditEntries);
  const [kept] = await sealed
    .where(and(isSealed, not(isOld(days))))
    .orderBy(asc(sequence))
    .limit(1);
  if (kept) return kept.sequence! - 1;
  const [last] = await db
    .select({ sequence })
    .from(auditEntries)
    .where(isSealed)
    .orderBy(desc(sequence))
    .limit(1);
  return last?.sequence ?? null;
}

async function deleteBatch(scope: CompanyScope, last: number): Promise<number> {
  const { db, companyId } = scope;
  await lock(db, "auditSeals", companyId);
  const { sequence } = auditEntries;
  const isInBatch = and(eq(auditEntries.companyId, companyId), lte(sequence, last));
  const rows = await db
    .select({ sequence })
    .from(auditEntries)
    .where(isInBatch)
    .orderBy(asc(sequence))
    .limit(BATCH)
    // Erasures lock rows in the same order.
    .for("update");
  const end = rows.at(-1);
  if (!end) return 0;
  await db.delete(auditEntries).where(and(isInBatch, lte(sequence, end.sequence!)));
  const range = await getSealedRange(scope);
  // An inserted entry can precede the ones already deleted; don't move the start back.
  if (range !== null && range !== "invalid" && end.sequence! >= range.first)
    await saveSealedRange(scope, { ...range, first: end.sequence! + 1 });
  return rows.length;
}
