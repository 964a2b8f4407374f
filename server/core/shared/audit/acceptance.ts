import { and, eq } from "drizzle-orm";
import { z } from "zod";

import { auditEntries } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { signJws, verifyJws } from "#server/core/shared/signatures/jws.ts";
import { signingKeys, type SigningJwks } from "#server/core/shared/signatures/signing-key.ts";

import { PlaceClaims, toClaims, toPlace } from "./audit-head.ts";
import { type ChainProblem, PROBLEM_KINDS } from "./chain-problem.ts";
import type { ChainPlace, HashedEntry } from "./entry-hash.ts";

/** The action of the entry that records an acceptance. */
export const ACCEPTANCE_ACTION = "audit.breaks_accepted";

const ACCEPTANCE_TYPE = "posthouse-audit-acceptance";

/** A problem in a chain, and where the chain continues after it. */
export type ChainBreak = ChainProblem & {
  /** The last place before the break. */
  after: ChainPlace;
  to: ChainPlace;
  /** Hash of the entry's content at `to`; null if the end of the chain is missing or was rewritten. */
  content: Buffer | null;
};

/** Breaks that an operator accepted. */
export type Acceptance = {
  acceptedAt: string;
  reason: string;
  breaks: ChainBreak[];
  /** Saved heads that aren't in the chain. */
  heads: ChainPlace[];
};

const Claims = z.object({
  company_id: z.uuid(),
  breaks: z.array(
    z.object({
      kind: z.enum(PROBLEM_KINDS),
      sequence: z.int().nullable(),
      message: z.string(),
      after: PlaceClaims,
      to: PlaceClaims,
      content_hash: z.string().nullable(),
    }),
  ),
  heads: z.array(PlaceClaims),
});

/**
 * Signs breaks as accepted. Without the instance key, someone who changes the database can't accept the change. The reason is only in the
 * entry, where it can be erased.
 */
export const signAcceptance = (
  companyId: string,
  { breaks, heads }: Pick<Acceptance, "breaks" | "heads">,
): string =>
  signJws(ACCEPTANCE_TYPE, {
    company_id: companyId,
    breaks: breaks.map(({ after, to, content, ...problem }) => ({
      ...{ ...problem, after: toClaims(after), to: toClaims(to) },
      content_hash: content && content.toString("hex"),
    })),
    heads: heads.map(toClaims),
  } satisfies z.infer<typeof Claims>);

/** Returns the acceptances among a company's entries that have a valid signature. */
export function readAcceptances(
  companyId: string,
  entries: Pick<HashedEntry, "action" | "details" | "createdAt">[],
  keys: SigningJwks,
): Acceptance[] {
  return entries.flatMap(({ action, details, createdAt }) => {
    const { statement, reason } = details;
    if (action !== ACCEPTANCE_ACTION || typeof statement !== "string") return [];
    const what = "an acceptance";
    const verified = verifyJws(statement, { type: ACCEPTANCE_TYPE, what, keys });
    const claims = Claims.safeParse(verified.claims).data;
    if (verified.problem !== null || claims?.company_id !== companyId) return [];
    const breaks = claims.breaks.map(({ after, to, content_hash: content, ...problem }) => ({
      ...{ ...problem, after: toPlace(after), to: toPlace(to) },
      content: content === null ? null : Buffer.from(content, "hex"),
    }));
    const heads = claims.heads.map(toPlace);
    return [{ acceptedAt: createdAt, reason: String(reason), breaks, heads }];
  });
}

/** The acceptances in the company's audit log. Reads the whole log. */
export async function listAcceptances({ db, companyId }: CompanyScope): Promise<Acceptance[]> {
  const { action, details, createdAt } = auditEntries;
  const entries = await db
    .select({ action, details, createdAt })
    .from(auditEntries)
    .where(and(eq(auditEntries.companyId, companyId), eq(action, ACCEPTANCE_ACTION)));
  return readAcceptances(companyId, entries, signingKeys());
}
