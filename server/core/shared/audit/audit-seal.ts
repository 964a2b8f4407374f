import { createHmac, timingSafeEqual } from "node:crypto";

import { eq } from "drizzle-orm";

import { type auditEntries, auditSeals } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { derivedSecret } from "#server/core/shared/secrets/instance-key.ts";

type Entry = typeof auditEntries.$inferSelect;

/** The sequences of the first and the last sealed entry; `first` is `last + 1` once retention has deleted them all. */
type SealedRange = { first: number; last: number };

const hmac = (value: unknown): Buffer =>
  createHmac("sha256", derivedSecret("audit log")).update(canonicalJson(value)).digest();

/**
 * Authenticates an entry and its place, with a key that isn't in the database. The entry's time counts to the millisecond.
 *
 * @param sequence the entry's place in the company's log
 */
export function sealOf(entry: Omit<Entry, "seal" | "sequence">, sequence: number): Buffer {
  const { id, companyId, actor, actorKind, action, details, createdAt } = entry;
  const created = new Date(createdAt).toISOString();
  return hmac({ sequence, id, companyId, actor, actorKind, action, details, created });
}

/** Whether an entry and its place are unchanged since it was sealed. */
export const hasValidSeal = (entry: Entry): boolean =>
  entry.sequence !== null &&
  entry.seal !== null &&
  isSame(entry.seal, sealOf(entry, entry.sequence));

/** The range of the company's sealed entries. Null if none is recorded, `invalid` if it was changed. */
export async function getSealedRange({
  db,
  companyId,
}: CompanyScope): Promise<SealedRange | "invalid" | null> {
  const [row] = await db.select().from(auditSeals).where(eq(auditSeals.companyId, companyId));
  if (!row) return null;
  const { first, last, seal } = row;
  return isSame(seal, sealOfRange(companyId, { first, last })) ? { first, last } : "invalid";
}

/** The caller must hold the lock `auditSeals`. */
export async function saveSealedRange(
  { db, companyId }: CompanyScope,
  { first, last }: SealedRange,
): Promise<void> {
  const values = { first, last, seal: sealOfRange(companyId, { first, last }) };
  await db
    .insert(auditSeals)
    .values({ companyId, ...values })
    .onConflictDoUpdate({ target: auditSeals.companyId, set: values });
}

const sealOfRange = (companyId: string, { first, last }: SealedRange): Buffer =>
  hmac({ companyId, first, last });

const isSame = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b);

/** JSON with sorted members, so that the order in which the database returns them doesn't matter. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
