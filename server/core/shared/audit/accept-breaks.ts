import { and, desc, eq, isNotNull } from "drizzle-orm";

import { auditEntries, auditHeads } from "#drizzle/schema/index.ts";
import { type Context, type CompanyScope, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { lock } from "#server/db/advisory-locks.ts";

import {
  ACCEPTANCE_ACTION,
  type ChainBreak,
  listAcceptances,
  signAcceptance,
} from "./acceptance.ts";
import { acceptedBreaks } from "./accepted-breaks.ts";
import { type AuditHead, getHead, saveHead, startOf } from "./audit-head.ts";
import { type ChainProblem, fork, problemAt } from "./chain-problem.ts";
import { type ChainPlace, chainStart } from "./entry-hash.ts";
import { recordAudit } from "./record-audit.ts";
import { cantVerify, verifyPart } from "./verify-stored-audit.ts";

const REASON_MAX = 500;

/** One entry records all accepted breaks. */
const BREAKS_MAX = 1_000;

/**
 * Accepts the present state of a company's audit log. Records all problems in the log, with the reason,
 * and later verifications report it as accepted. They still fail for anything else.
 *
 * @param known saved heads; those that aren't in the chain are accepted too
 * @returns what was accepted
 * @throws Refusal `missing_required_field`; `invalid` if nothing is wrong
 */
export async function acceptBreaks(
  ctx: Context,
  { reason: given, known = [] }: { reason: string; known?: AuditHead[] },
): Promise<ChainProblem[]> {
  const reason = given.trim();
  if (reason === "") throw new Refusal("missing_required_field", "reason: Missing required field");
  if (reason.length > REASON_MAX)
    throw new Refusal("invalid", `reason: must have at most ${REASON_MAX} characters`);
  return inTransaction(ctx, async (ctx) => {
    await lock(ctx.db, "auditChain", ctx.companyId);
    const own = known.filter(({ companyId }) => companyId === ctx.companyId);
    const forked = await findForked(ctx, own);
    const atHead = await restoreHead(ctx);
    const breaks = await findBreaks(ctx);
    const problems = [...forked.map(fork), ...atHead, ...breaks.map(toProblem)];
    if (problems.length === 0)
      throw new Refusal(
        "invalid",
        "Nothing is wrong with the audit log, so there is nothing to accept",
      );
    await recordAudit(ctx, ACCEPTANCE_ACTION, {
      ...{ reason, problems: problems.map(({ message }) => message) },
      statement: signAcceptance(ctx.companyId, { breaks, heads: forked }),
    });
    await ctx.db
      .update(auditHeads)
      .set({ problem: null, verifiedSequence: 0, verifiedHash: null })
      .where(eq(auditHeads.companyId, ctx.companyId));
    return problems;
  });
}

const toProblem = ({ kind, sequence, message }: ChainBreak): ChainProblem => ({
  ...{ kind, sequence, message },
});

async function findBreaks(scope: CompanyScope): Promise<ChainBreak[]> {
  const breaks: ChainBreak[] = [];
  await verifyPart(scope, {
    onBreak(found) {
      if (breaks.length === BREAKS_MAX)
        throw new Refusal(
          "invalid",
          `The audit log has more than ${BREAKS_MAX} problems, which are too many to accept. Restore a backup from before them`,
        );
      breaks.push(found);
    },
  });
  return breaks;
}

/** Signs a new head if there is no valid one, or if entries follow it. Sealing continues only after a valid head. */
async function restoreHead(scope: CompanyScope): Promise<ChainProblem[]> {
  const read = await getHead(scope);
  const last = (await lastEntry(scope)) ?? chainStart(scope.companyId);
  if (!read || (read.head && last.sequence <= read.head.sequence)) return [];
  await saveHead(scope, { ...last, deleted: read.head?.deleted ?? null });
  return [read.head ? problemAt(last.sequence, "inserted", "was inserted") : cantVerify(read)];
}

async function lastEntry({ db, companyId }: CompanyScope): Promise<ChainPlace | null> {
  const { sequence, hash } = auditEntries;
  const [last] = await db
    .select({ sequence, hash })
    .from(auditEntries)
    .where(and(eq(auditEntries.companyId, companyId), isNotNull(sequence)))
    .orderBy(desc(sequence))
    .limit(1);
  return last ? { sequence: last.sequence!, hash: last.hash! } : null;
}

/** The saved heads that aren't in the chain and aren't accepted yet. */
async function findForked(scope: CompanyScope, known: AuditHead[]): Promise<AuditHead[]> {
  const head = (await getHead(scope))?.head;
  if (!head) return [];
  const acceptances = () => listAcceptances(scope);
  const forked: AuditHead[] = [];
  for (const saved of await acceptedBreaks({ acceptances }).withoutAccepted(known)) {
    const place = await placeAt(scope, saved.sequence, head);
    if (place !== null && !place.equals(saved.hash)) forked.push(saved);
  }
  return forked;
}

/** The hash at a place of the chain; null if it is unknown because the entry is missing, and empty after the end. */
async function placeAt({ db, companyId }: CompanyScope, at: number, head: AuditHead) {
  if (at > head.sequence) return Buffer.alloc(0);
  const start = startOf(head);
  if (at === start.sequence) return start.hash;
  const { sequence, hash } = auditEntries;
  const [row] = await db
    .select({ hash })
    .from(auditEntries)
    .where(and(eq(auditEntries.companyId, companyId), eq(sequence, at)));
  return row?.hash ?? null;
}
