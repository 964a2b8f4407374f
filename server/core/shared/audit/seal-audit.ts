import { and, asc, eq, isNull, max, sql } from "drizzle-orm";

import { auditEntries, companies } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { tryLock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";
import { inBatches } from "#server/db/batches.ts";

import { getSealedRange, saveSealedRange, sealOf } from "./audit-seal.ts";

const BATCH = 2_000;

/**
 * Numbers and seals the entries that aren't sealed yet. Recording an entry takes no lock, so an entry that commits late gets a
 * number after newer ones.
 *
 * @returns the number of entries sealed
 */
export async function sealAudit(db: Db, batchSize = BATCH): Promise<number> {
  const waiting = await db.execute<{ id: string }>(sql`
    select c.id from ${companies} c where exists (
      select from ${auditEntries} e where e.company_id = c.id and e.sequence is null)`);
  let sealed = 0;
  const failures: unknown[] = [];
  for (const { id: companyId } of waiting)
    try {
      sealed += await inBatches(batchSize, () =>
        db.transaction((tx) => sealBatch({ db: tx, companyId }, batchSize)),
      );
    } catch (error) {
      // A failure in one company's log must not block the others.
      failures.push(error);
    }
  if (failures.length > 0) throw new AggregateError(failures, "Audit entries couldn't be sealed");
  return sealed;
}

async function sealBatch(scope: CompanyScope, size: number): Promise<number> {
  const { db, companyId } = scope;
  if (!(await tryLock(db, "auditSeals", companyId))) return 0;
  const inLog = eq(auditEntries.companyId, companyId);
  const entries = await db
    .select()
    .from(auditEntries)
    .where(and(inLog, isNull(auditEntries.sequence)))
    .orderBy(asc(auditEntries.createdAt), asc(auditEntries.id))
    .limit(size)
    // Entries that an erasure has locked are sealed by the next run.
    .for("no key update", { skipLocked: true });
  if (entries.length === 0) return 0;
  const found = await getSealedRange(scope);
  const stored = await lastSequence(scope);
  // Don't repair a range that is invalid, or missing although entries are sealed: verification must keep failing.
  const range = found ?? (stored === 0 ? { first: 1, last: 0 } : "invalid");
  let last = range === "invalid" ? stored : Math.max(range.last, stored);
  const sealed = entries.map((entry) => {
    const sequence = ++last;
    return { id: entry.id, sequence, seal: sealOf(entry, sequence).toString("hex") };
  });
  await db.execute(sql`
    update ${auditEntries} e set sequence = s.sequence, seal = decode(s.seal, 'hex')
    from json_to_recordset(${JSON.stringify(sealed)}::json) as s(id uuid, sequence bigint, seal text)
    where e.id = s.id`);
  if (range !== "invalid") await saveSealedRange(scope, { first: range.first, last });
  return entries.length;
}

async function lastSequence({ db, companyId }: CompanyScope): Promise<number> {
  const [stored] = await db
    .select({ last: max(auditEntries.sequence) })
    .from(auditEntries)
    .where(eq(auditEntries.companyId, companyId));
  return stored?.last ?? 0;
}
