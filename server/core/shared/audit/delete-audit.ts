import { and, asc, desc, eq, isNotNull, isNull, lte, not, sql } from "drizzle-orm";

import { auditEntries, companies } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { lock } from "#server/db/advisory-locks.ts";
import { deleteInBatches, isOlderThan } from "#server/db/batches.ts";
import type { Db } from "#server/db/client.ts";

import { getSealedRange, hasValidSeal, saveSealedRange, sealOf } from "./audit-seal.ts";

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

/**
 * Replaces a person's address in the audit logs of all companies, and seals the changed entries again. Entries that were
 * tampered with stay invalid.
 *
 * @param pattern a Postgres regular expression
 * @returns the number of entries changed
 */
export async function eraseFromAudit(
  db: Db,
  { pattern, pseudonym }: { pattern: string; pseudonym: string },
): Promise<number> {
  const { actor, details } = auditEntries;
  const before = await db
    .select()
    .from(auditEntries)
    .where(sql`${actor} ~* ${pattern} or ${details}::text ~* ${pattern}`)
    // Retention locks rows in the same order.
    .orderBy(auditEntries.companyId, auditEntries.sequence, auditEntries.id)
    .for("no key update");
  if (before.length === 0) return 0;
  const wasIntact = new Set(before.filter(hasValidSeal).map(({ id }) => id));
  const after = await db
    .update(auditEntries)
    .set({
      actor: sql`regexp_replace(${actor}, ${pattern}, ${pseudonym}, 'gi')`,
      details: sql`regexp_replace(${details}::text, ${pattern}, ${pseudonym}, 'gi')::jsonb`,
    })
    .where(sql`${auditEntries.id} = any(${sql.param(before.map(({ id }) => id))}::uuid[])`)
    .returning();
  const sealed = after
    .filter(({ id }) => wasIntact.has(id))
    .map((entry) => ({ id: entry.id, seal: sealOf(entry, entry.sequence!).toString("hex") }));
  await db.execute(sql`
    update ${auditEntries} e set seal = decode(s.seal, 'hex')
    from json_to_recordset(${JSON.stringify(sealed)}::json) as s(id uuid, seal text)
    where e.id = s.id`);
  return after.length;
}
