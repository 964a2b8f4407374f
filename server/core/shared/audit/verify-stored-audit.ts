import { and, asc, eq, gt, isNotNull, lte } from "drizzle-orm";

import { auditEntries } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { signingKeys } from "#server/core/shared/signatures/signing-key.ts";

import { listAcceptances } from "./acceptance.ts";
import type { AcceptedBreak, BreakOptions } from "./accepted-breaks.ts";
import { type AuditHead, getHead, type ReadHead, startOf } from "./audit-head.ts";
import type { ChainProblem } from "./chain-problem.ts";
import type { ChainPlace } from "./entry-hash.ts";
import { type ChainEntry, type ChainReport, verifyChain } from "./verify-chain.ts";

const ROWS_PER_READ = 2_000;

/** The result of verifying a company's audit log. */
export type AuditReport = {
  entries: number;
  /** Entries in the chain. The others are sealed within a minute or two. */
  sealed: number;
  /** How many of them were changed by erasures. */
  erased: number;
  head: AuditHead | null;
  accepted: AcceptedBreak[];
  problem: ChainProblem | null;
};

/**
 * Verifies the whole hash chain of a company, in one snapshot of the database.
 *
 * @param known heads saved earlier; those of other companies are ignored
 */
export function verifyStoredAudit(
  { db, companyId }: CompanyScope,
  known: AuditHead[] = [],
): Promise<AuditReport> {
  return db.transaction(
    async (tx) => {
      const inLog = eq(auditEntries.companyId, companyId);
      const entries = await tx.$count(auditEntries, inLog);
      const sealed = await tx.$count(auditEntries, and(inLog, isNotNull(auditEntries.sequence)));
      const own = known.filter((saved) => saved.companyId === companyId);
      const part = await verifyPart({ db: tx, companyId }, { known: own });
      const { erased, accepted, head, problem } = part;
      return { entries, sealed, erased, accepted, head, problem };
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

/** By default, the whole chain. */
export type Part = {
  /** Verified before; ignored unless it is inside the chain. */
  from?: ChainPlace;
  rowsMax?: number;
  known?: AuditHead[];
  onBreak?: BreakOptions["onBreak"];
};

type PartReport = Pick<ChainReport, "erased" | "accepted" | "problem"> & {
  head: AuditHead | null;
  verified: ChainPlace | null;
};

/** Verifies a part of a company's chain. Call in a transaction with one snapshot. */
export async function verifyPart(scope: CompanyScope, part: Part = {}): Promise<PartReport> {
  const nothing = { erased: 0, accepted: [], head: null, verified: null };
  const read = await getHead(scope);
  if (!read && !part.known?.length) return { ...nothing, problem: null };
  if (!read?.head) return { ...nothing, problem: cantVerify(read) };
  return verifyFrom(scope, read.head, part);
}

async function verifyFrom(scope: CompanyScope, head: AuditHead, part: Part): Promise<PartReport> {
  const { from, through } = boundsOf(head, part);
  const { known, onBreak } = part;
  const pages = readChain(scope, {
    after: from?.sequence ?? 0,
    // Entries after the last one are found too.
    through: through === head.sequence ? null : through,
  });
  const acceptances = () => listAcceptances(scope);
  const { verified, erased, accepted, problem } = await verifyChain(head, pages, {
    ...{ keys: signingKeys(), from, through, known, acceptances, onBreak },
  });
  // Whether missing entries were accepted depends on the one after them.
  if (problem?.kind === "missing" && through < head.sequence)
    return verifyFrom(scope, head, { ...part, rowsMax: Infinity });
  return { verified, erased, accepted, problem, head };
}

function boundsOf(head: AuditHead, { from, rowsMax = Infinity }: Part) {
  const { sequence: start } = startOf(head);
  const isInside = from && from.sequence > start && from.sequence < head.sequence;
  const place = isInside ? from.sequence : start;
  return {
    from: isInside ? from : undefined,
    through: Math.min(head.sequence, place + rowsMax),
  };
}

export const cantVerify = (read: ReadHead | null): ChainProblem => ({
  ...{ kind: "signature", sequence: null },
  message: `The chain can't be verified: ${read?.problem ?? "nothing is sealed"}`,
});

async function* readChain(
  { db, companyId }: CompanyScope,
  { after, through }: { after: number; through: number | null },
): AsyncGenerator<ChainEntry[]> {
  const { sequence } = auditEntries;
  const upTo = through === null ? undefined : lte(sequence, through);
  for (let last = after; ;) {
    const rows = await db
      .select()
      .from(auditEntries)
      .where(and(eq(auditEntries.companyId, companyId), gt(sequence, last), upTo))
      .orderBy(asc(sequence))
      .limit(ROWS_PER_READ);
    yield rows as ChainEntry[];
    if (rows.length < ROWS_PER_READ) return;
    last = rows.at(-1)!.sequence!;
  }
}
