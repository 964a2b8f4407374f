import { and, asc, eq, gt, isNotNull } from "drizzle-orm";

import { auditEntries } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

import { getSealedRange, hasValidSeal } from "./audit-seal.ts";
import type { AuditEntry } from "./list-audit.ts";

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
