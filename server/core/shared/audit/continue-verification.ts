import { eq, sql } from "drizzle-orm";

import { auditHeads } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import { type Part, verifyPart } from "./verify-stored-audit.ts";

/** Entries verified per company and day: about two seconds. */
const ROWS_MAX = 100_000;

/**
 * Continues the verification of each company's chain for some entries and records what it found. After the last entry, or a
 * problem, the next call starts over.
 */
export async function continueVerification(db: Db, rowsMax = ROWS_MAX): Promise<void> {
  const heads = await db.select({ companyId: auditHeads.companyId }).from(auditHeads);
  for (const { companyId } of heads) await continueOne({ db, companyId }, rowsMax);
}

async function continueOne(scope: CompanyScope, rowsMax: number): Promise<void> {
  const { db, companyId } = scope;
  const part = await nextPart(scope, rowsMax);
  const { head, verified, problem } = await db.transaction(
    (tx) => verifyPart({ db: tx, companyId }, part),
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
  const isAtEnd = verified?.sequence === head?.sequence;
  const reached = problem || isAtEnd ? null : verified;
  await db
    .update(auditHeads)
    .set({
      verifiedSequence: reached ? reached.sequence : 0,
      verifiedHash: reached && reached.hash,
      verifiedAt: sql`clock_timestamp()`,
      problem: problem && problem.message,
    })
    .where(eq(auditHeads.companyId, companyId));
}

/** A problem has ended only if the whole chain is fine. */
async function nextPart({ db, companyId }: CompanyScope, rowsMax: number): Promise<Part> {
  const { verifiedSequence: sequence, verifiedHash: hash, problem } = auditHeads;
  const [known] = await db
    .select({ sequence, hash, problem })
    .from(auditHeads)
    .where(eq(auditHeads.companyId, companyId));
  if (!known || known.problem) return {};
  return { rowsMax, ...(known.hash && { from: { sequence: known.sequence, hash: known.hash } }) };
}
