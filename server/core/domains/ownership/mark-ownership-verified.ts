import { and, eq, isNotNull, isNull, ne, not, sql } from "drizzle-orm";

import { dkimKeys, type Domain, domains } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { endClaim } from "./claim-name.ts";
import { createDkimKey } from "#server/core/sending/dkim/create-dkim-key.ts";
import { auditExpired, EXPIRED, EXPIRY } from "./expire-claims.ts";
import { isOwnedElsewhere } from "./is-owned-elsewhere.ts";
import { lockName } from "#server/core/domains/domains/locks.ts";
import { blocksName } from "./ownership-grace.ts";
import { lockDomain } from "#server/core/domains/domains/require-domain.ts";

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
        ...{ ownershipMissingSince: null, ownershipNoticedAt: null, ownershipLostAt: null },
      })
      .where(eq(domains.id, id));
    await recordAudit(ctx, "domain.verified", { domainId: id, name });
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
      ...{ status: "pending", ownershipProvenAt: null },
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
