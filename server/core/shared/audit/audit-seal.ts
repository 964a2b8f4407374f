import { createHmac, timingSafeEqual } from "node:crypto";

import { and, asc, eq, gt, isNotNull, isNull, max, sql } from "drizzle-orm";

import { auditEntries, auditSeals, companies } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { derivedSecret } from "#server/core/shared/secrets/instance-key.ts";
import { tryLock } from "#server/db/advisory-locks.ts";
import { inBatches } from "#server/db/batches.ts";
import type { Db } from "#server/db/client.ts";

import type { AuditEntry } from "./list-audit.ts";

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

const ROWS_PER_READ = 2_000;

/**
 * - `changed`: the entry or its place was changed after it was sealed
 * - `missing`: the entry was deleted, but not by retention
 * - `inserted`: the entry's sequence is outside the range of sealed entries
 * - `range`: the range of sealed entries is missing or was changed
 *
 * `sequence` is null if the problem concerns no particular entry.
 */
type AuditProblem = {
  kind: "changed" | "missing" | "inserted" | "range";
  sequence: number | null;
  message: string;
};

/** The result of verifying a company's audit log. */
export type AuditReport = {
  entries: number;
  /** How many of them are sealed. The others will be within a minute or two. */
  sealed: number;
  /** The first problem found. */
  problem: AuditProblem | null;
};

/** Verifies a company's whole audit log, in one snapshot of the database. */
export function verifyAudit({ db, companyId }: CompanyScope): Promise<AuditReport> {
  return db.transaction(
    async (tx) => {
      const inLog = eq(auditEntries.companyId, companyId);
      return {
        entries: await tx.$count(auditEntries, inLog),
        sealed: await tx.$count(auditEntries, and(inLog, isNotNull(auditEntries.sequence))),
        problem: await findProblem({ db: tx, companyId }),
      };
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

async function findProblem(scope: CompanyScope): Promise<AuditProblem | null> {
  const range = await getSealedRange(scope);
  if (range === "invalid")
    return rangeProblem("The record of which entries are sealed was changed");
  let next = range?.first ?? 1;
  for await (const entry of readSealed(scope)) {
    if (range === null) return rangeProblem("The record of which entries are sealed is missing");
    const problem = entryProblem(entry, next, range.last);
    if (problem) return problem;
    next++;
  }
  return range && next <= range.last ? missingEntries(next, range.last) : null;
}

function entryProblem(entry: AuditEntry, expected: number, last: number): AuditProblem | null {
  const sequence = entry.sequence!;
  if (sequence < expected || sequence > last)
    return problemAt(sequence, "inserted", "was inserted");
  if (sequence > expected) return missingEntries(expected, sequence - 1);
  return hasValidSeal(entry)
    ? null
    : problemAt(sequence, "changed", "was changed after it was sealed");
}

async function* readSealed({ db, companyId }: CompanyScope) {
  const { sequence } = auditEntries;
  for (let after: number | null = null; ;) {
    const rows: AuditEntry[] = await db
      .select()
      .from(auditEntries)
      .where(
        and(
          eq(auditEntries.companyId, companyId),
          isNotNull(sequence),
          after === null ? undefined : gt(sequence, after),
        ),
      )
      .orderBy(asc(sequence))
      .limit(ROWS_PER_READ);
    yield* rows;
    if (rows.length < ROWS_PER_READ) return;
    after = rows.at(-1)!.sequence;
  }
}

const rangeProblem = (message: string): AuditProblem => ({
  kind: "range",
  sequence: null,
  message,
});

const problemAt = (sequence: number, kind: AuditProblem["kind"], what: string): AuditProblem => ({
  kind,
  sequence,
  message: `Entry ${sequence} ${what}`,
});

function missingEntries(first: number, last: number): AuditProblem {
  const what = first === last ? `Entry ${first} is` : `Entries ${first} to ${last} are`;
  return { kind: "missing", sequence: first, message: `${what} missing` };
}
