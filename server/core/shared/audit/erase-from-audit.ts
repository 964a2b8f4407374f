import { sql } from "drizzle-orm";

import { auditEntries } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { hasValidSeal, sealOf } from "./audit-seal.ts";

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
