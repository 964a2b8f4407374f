import { sql } from "drizzle-orm";

import { auditEntries } from "#drizzle/schema/index.ts";
import { signingKeys } from "#server/core/shared/signatures/signing-key.ts";
import type { Db } from "#server/db/client.ts";

import { contentState, type SealedContent, signErasure } from "./audit-erasure.ts";
import { newSalt } from "./entry-hash.ts";

type Entry = typeof auditEntries.$inferSelect;

/**
 * Replaces a person's address in the audit logs of all companies. The hash chains stay valid: they keep the hash of what
 * was sealed, and a signed statement of the change. Entries that were tampered with get none.
 *
 * @param pattern a regular expression for Postgres
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
    // Retention locks a company's entries in the order of their sequence.
    .orderBy(auditEntries.companyId, auditEntries.sequence, auditEntries.id)
    .for("no key update");
  if (before.length === 0) return 0;
  const keys = signingKeys();
  const wasIntact = new Set(
    before
      .filter((entry) => isSealed(entry) && contentState(entry, keys) !== "changed")
      .map(({ id }) => id),
  );
  const after = await db
    .update(auditEntries)
    .set({
      actor: sql`regexp_replace(${actor}, ${pattern}, ${pseudonym}, 'gi')`,
      details: sql`regexp_replace(${details}::text, ${pattern}, ${pseudonym}, 'gi')::jsonb`,
    })
    .where(sql`${auditEntries.id} = any(${sql.param(before.map(({ id }) => id))}::uuid[])`)
    .returning();
  await signErasures(
    db,
    after.filter(isSealed).filter(({ id }) => wasIntact.has(id)),
  );
  return after.length;
}

const isSealed = (entry: Entry): entry is Entry & SealedContent =>
  entry.salt !== null && entry.contentHash !== null;

async function signErasures(db: Db, entries: (Entry & SealedContent)[]): Promise<void> {
  const signed = entries.map((entry) => {
    const salt = newSalt();
    const erasure = signErasure({ ...entry, salt });
    return { id: entry.id, salt: salt.toString("hex"), erasure };
  });
  await db.execute(sql`
    update ${auditEntries} e set salt = decode(s.salt, 'hex'), erasure = s.erasure
    from json_to_recordset(${JSON.stringify(signed)}::json) as s(id uuid, salt text, erasure text)
    where e.id = s.id`);
}
