import { createHmac, hkdfSync } from "node:crypto";

import { and, eq, isNotNull, isNull, ne, not, sql } from "drizzle-orm";

import {
  dkimKeys,
  type DnsFinding,
  type Domain,
  domainFindings,
  domains,
} from "#drizzle/schema/index.ts";
import { lockDomain, lockName } from "#server/core/domains/domains/require-domain.ts";
import { ownershipPlace, ownershipValue } from "#server/core/domains/records/domain-records.ts";
import { relevantFindings } from "#server/core/domains/records/evaluate-findings.ts";
import { joinTxtStrings } from "#server/core/domains/records/txt-records.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { createDkimKey } from "#server/core/sending/dkim/dkim-keys.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { instanceKey } from "#server/core/shared/secrets/instance-key.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { auditExpired, blocksName, endClaim, EXPIRED, EXPIRY, isOwnedElsewhere } from "./claims.ts";

/**
 * Marks the ownership of a domain as verified and creates its DKIM key. Ends other companies' unverified
 * domains with this name, and the ownership of a company whose record has been missing longer than the grace
 * period. Idempotent, also when called concurrently.
 *
 * @throws Refusal `not_found`, `invalid` if another company was first
 */
export async function markOwnershipVerified(ctx: Context, { id, name }: Domain): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockName(ctx, name);
    await requireUnproven(ctx, name);
    const domain = await lockDomain(ctx, id);
    if (!(await ctx.db.$count(dkimKeys, eq(dkimKeys.domainId, id))))
      await createDkimKey(ctx.db, id);
    if (domain.ownershipProvenAt !== null) return;
    await endLapsedOwnership(ctx, name);
    await endOtherClaims(ctx, name);
    await endClaim(ctx, name);
    await ctx.db
      .update(domains)
      .set({
        ownershipProvenAt: sql`clock_timestamp()`,
        ownershipMissingSince: null,
        ownershipNoticedAt: null,
        ownershipLostAt: null,
      })
      .where(eq(domains.id, id));
    await recordAudit(ctx, "domain.verified", { domainId: id, name });
    await enqueue(ctx.db, "refresh_forwards", { companyId: ctx.companyId });
  });
}

/** Another company's verification has deleted the domain of this call. */
async function requireUnproven(ctx: Context, name: string): Promise<void> {
  if (await isOwnedElsewhere(ctx, name))
    throw new Refusal(
      "invalid",
      `Another company has verified the ownership of ${name} in the meantime, so you can't add it here`,
    );
}

/**
 * Takes the name from a company whose record has been missing longer than the grace period;
 * `requireUnproven` has ruled out any other owner. Its domain stays, unverified, so that its mailboxes can
 * still be read.
 */
async function endLapsedOwnership(ctx: Context, name: string): Promise<void> {
  const lost = await ctx.db
    .update(domains)
    .set({
      status: "pending",
      ownershipProvenAt: null,
      ownershipLostAt: sql`clock_timestamp()`,
    })
    .where(
      and(
        eq(domains.name, name),
        ne(domains.companyId, ctx.companyId),
        isNotNull(domains.ownershipProvenAt),
        not(blocksName),
      ),
    )
    .returning({ id: domains.id, companyId: domains.companyId });
  for (const { id: domainId, companyId } of lost) {
    const loser = { ...ctx, companyId, actor: EXPIRY };
    await recordAudit(loser, "domain.ownership_lost", { domainId, name });
    await notifyAdmins(loser, { kind: "ownership_lost", domainId });
    await enqueue(ctx.db, "refresh_forwards", { companyId });
  }
}

async function endOtherClaims(ctx: Context, name: string): Promise<void> {
  const ended = await ctx.db
    .delete(domains)
    .where(
      and(
        eq(domains.name, name),
        ne(domains.companyId, ctx.companyId),
        isNull(domains.ownershipLostAt),
      ),
    )
    .returning(EXPIRED);
  await auditExpired(ctx.db, ended);
}

/** Found texts to show; some domains publish dozens. */
const SHOWN_MAX = 3;

const SHOWN_CHARACTERS = 100;

/** The error with where the record belongs, its value, and what the last check found instead. */
export async function ownershipNotFound(ctx: Context, domain: Domain): Promise<Refusal> {
  const [finding] = await ctx.db
    .select({ answers: domainFindings.answers })
    .from(domainFindings)
    .where(and(eq(domainFindings.domainId, domain.id), eq(domainFindings.record, "ownership")));
  const { name, type } = ownershipPlace(domain);
  return new Refusal(
    "invalid",
    `The ownership record was not found. Expected: a ${type} record at ${name} with the value ${ownershipValue(domain)}. Found: ${foundInstead(finding?.answers ?? [])}. New records can take a while to reach all servers. Verify again later`,
  );
}

function foundInstead(answers: DnsFinding[]): string {
  const counted = relevantFindings(answers);
  const texts = new Set(counted.flatMap(({ records }) => records.map(joinTxtStrings)));
  if (texts.size > 0)
    return [...texts]
      .slice(0, SHOWN_MAX)
      .map((text) => JSON.stringify(text.slice(0, SHOWN_CHARACTERS)))
      .join(", ");
  if (counted.some(({ kind }) => kind !== "failed")) return "no such record";
  const reasons = [...new Set(counted.map(({ reason }) => reason ?? "no answer"))];
  return `no answer from the name servers (${reasons.join(", ") || "none known"})`;
}

const TOKEN_BYTES = 16;

/**
 * The token that proves ownership. Derived, so that a published record stays valid when the company adds the
 * name again; it differs for each company and can't be computed without the instance key.
 */
export function ownershipToken(companyId: string, name: string): string {
  const key = hkdfSync("sha256", instanceKey(), "", "posthouse domain ownership", 32);
  return createHmac("sha256", Buffer.from(key))
    .update(`${companyId} ${name}`)
    .digest()
    .subarray(0, TOKEN_BYTES)
    .toString("hex");
}
