import { and, asc, eq, gt, isNull, sql } from "drizzle-orm";

import { auditEntries, companies } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { tryLock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";
import { inBatches } from "#server/db/in-batches.ts";

import { getHead, saveHead } from "./audit-head.ts";
import { chainHash, chainStart, contentHash, newSalt } from "./entry-hash.ts";

const BATCH = 2_000;

/**
 * Appends the entries that aren't sealed yet to their companies' hash chains and signs the new heads. Recording an entry
 * takes no lock: one that commits late has its place in the chain after entries that are newer.
 *
 * A chain whose end was tampered with isn't continued: signing it would make the change valid.
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
      // A failure in one company's chain must not block the others.
      failures.push(error);
    }
  if (failures.length > 0) throw new AggregateError(failures, "Audit entries couldn't be sealed");
  return sealed;
}

async function sealBatch(scope: CompanyScope, size: number): Promise<number> {
  const { db, companyId } = scope;
  if (!(await tryLock(db, "auditChain", companyId))) return 0;
  const read = await getHead(scope);
  if (read && !read.head) return 0;
  const head = read?.head;
  let { sequence, hash } = head ?? chainStart(companyId);
  const isBeyondHead = and(
    eq(auditEntries.companyId, companyId),
    gt(auditEntries.sequence, sequence),
  );
  if ((await db.$count(auditEntries, isBeyondHead)) > 0) return 0;
  const entries = await db
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.companyId, companyId), isNull(auditEntries.sequence)))
    .orderBy(asc(auditEntries.createdAt), asc(auditEntries.id))
    .limit(size)
    // Entries that are being erased are sealed the next time.
    .for("no key update", { skipLocked: true });
  if (entries.length === 0) return 0;
  const sealed = entries.map((entry) => {
    const salt = newSalt();
    const content = contentHash(entry, salt);
    hash = chainHash(hash, content);
    return {
      ...{ id: entry.id, sequence: ++sequence },
      ...{ salt: hex(salt), content_hash: hex(content), hash: hex(hash) },
    };
  });
  await db.execute(sql`
    update ${auditEntries} e set sequence = s.sequence, salt = decode(s.salt, 'hex'),
      content_hash = decode(s.content_hash, 'hex'), hash = decode(s.hash, 'hex')
    from json_to_recordset(${JSON.stringify(sealed)}::json)
      as s(id uuid, sequence bigint, salt text, content_hash text, hash text)
    where e.id = s.id`);
  await saveHead(scope, { sequence, hash, deleted: head?.deleted ?? null });
  return entries.length;
}

const hex = (bytes: Buffer) => bytes.toString("hex");
