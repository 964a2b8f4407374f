import { and, eq, isNotNull } from "drizzle-orm";
import { z } from "zod";

import { auditEntries, auditHeads } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { signJws, verifyJws } from "#server/core/shared/signatures/jws.ts";
import { signingKeys, type SigningJwks } from "#server/core/shared/signatures/signing-key.ts";

import { type ChainPlace, chainStart } from "./entry-hash.ts";

const HEAD_TYPE = "posthouse-audit-head";

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
export const PlaceClaims = z.object({ sequence: z.int().min(0), hash: Hash });
const HeadClaims = PlaceClaims.extend({
  issuer: z.string(),
  company_id: z.uuid(),
  /** The last entry that retention deleted; the rest of the chain starts after it. */
  deleted: PlaceClaims.nullable(),
  sealed_at: z.string(),
});

/** The signed end of a company's chain. */
export type AuditHead = ChainPlace & {
  companyId: string;
  deleted: ChainPlace | null;
  sealedAt: string;
  /** Compact JWS of all this. */
  signature: string;
};

/** `problem` says why a head can't be trusted. */
export type ReadHead = { head: AuditHead; problem: null } | { head: null; problem: string };

/** Verifies the signature of a head. */
function readHead(signature: string, keys: SigningJwks): ReadHead {
  const verified = verifyJws(signature, { type: HEAD_TYPE, what: "an audit log", keys });
  if (verified.problem !== null) return { head: null, problem: verified.problem };
  const claims = HeadClaims.safeParse(verified.claims);
  if (!claims.success) return { head: null, problem: "the signed head has an unknown format" };
  const { company_id: companyId, deleted, sealed_at: sealedAt, ...place } = claims.data;
  const head = {
    ...{ companyId, sealedAt, signature, ...toPlace(place) },
    deleted: deleted && toPlace(deleted),
  };
  return { head, problem: null };
}

/** Like `readHead`. @throws Refusal `invalid` */
export function requireHead(signature: string, keys: SigningJwks): AuditHead {
  const { head, problem } = readHead(signature, keys);
  if (!head) throw new Refusal("invalid", `The signed head can't be verified: ${problem}`);
  return head;
}

/** The place that a chain starts after: its beginning, or the last entry that retention deleted. */
export const startOf = ({ companyId, deleted }: Pick<AuditHead, "companyId" | "deleted">) =>
  deleted ?? chainStart(companyId);

/** The head of the company's chain; null if nothing is sealed yet. */
export async function getHead({ db, companyId }: CompanyScope): Promise<ReadHead | null> {
  const [row] = await db
    .select({ signature: auditHeads.signature })
    .from(auditHeads)
    .where(eq(auditHeads.companyId, companyId));
  if (!row) {
    const isSealed = and(eq(auditEntries.companyId, companyId), isNotNull(auditEntries.sequence));
    const [sealed] = await db
      .select({ id: auditEntries.id })
      .from(auditEntries)
      .where(isSealed)
      .limit(1);
    return sealed ? { head: null, problem: "the signed head is missing" } : null;
  }
  const read = readHead(row.signature, signingKeys());
  if (read.head && read.head.companyId !== companyId)
    return { head: null, problem: "the signed head is another company's" };
  return read;
}

type HeadPlaces = ChainPlace & { deleted: ChainPlace | null };

/** Signs and stores a new head of the company's chain. Call under the lock `auditChain`. */
export async function saveHead({ db, companyId }: CompanyScope, places: HeadPlaces): Promise<void> {
  const signature = signHead(companyId, places);
  await db
    .insert(auditHeads)
    .values({ companyId, signature })
    .onConflictDoUpdate({ target: auditHeads.companyId, set: { signature } });
}

/**
 * Returns the signed head for an export that is about to end. Its chain ends where it did when the export began, because newer
 * entries aren't in the file, and starts after the last entry that retention has deleted since.
 *
 * @param begun the head when the export began
 */
export async function exportedHead(scope: CompanyScope, begun: AuditHead): Promise<string> {
  const deleted = (await getHead(scope))?.head?.deleted;
  if (!deleted || deleted.sequence === begun.deleted?.sequence) return begun.signature;
  const end = deleted.sequence > begun.sequence ? deleted : begun;
  return signHead(scope.companyId, { ...end, deleted });
}

function signHead(companyId: string, { sequence, hash, deleted }: HeadPlaces): string {
  const claims: z.infer<typeof HeadClaims> = {
    issuer: config().baseUrl,
    company_id: companyId,
    ...toClaims({ sequence, hash }),
    deleted: deleted && toClaims(deleted),
    sealed_at: new Date().toISOString(),
  };
  return signJws(HEAD_TYPE, claims);
}

export const toPlace = ({ sequence, hash }: z.infer<typeof PlaceClaims>): ChainPlace => ({
  sequence,
  hash: Buffer.from(hash, "hex"),
});

export const toClaims = ({ sequence, hash }: ChainPlace): z.infer<typeof PlaceClaims> => ({
  sequence,
  hash: hash.toString("hex"),
});
