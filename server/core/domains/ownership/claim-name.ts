import { and, eq, sql } from "drizzle-orm";

import { domainClaims } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { CLAIM_DAYS, CLAIM_ENDS_AT } from "#server/core/domains/domains/is-live.ts";

const WINDOW = sql`make_interval(days => ${CLAIM_DAYS})`;

/**
 * Claims a name for the company, under the lock of the name. Its seven days start now, or continue if they
 * started within the last seven.
 *
 * Until ownership is verified, the name is reserved by the company's domain, so deleting the domain frees it
 * at once. A company that is refused for that reason is recorded as waiting. If a claim expires while another
 * company waits, its company can add the name again only seven days later, to let others go first.
 *
 * @returns the error to throw after the commit, which also stores the refused claim; null if the name was
 *   claimed
 */
export async function claimName(ctx: Context, name: string): Promise<Refusal | null> {
  const claim = await readClaim(ctx, name);
  const { reservedUntil, barredUntil, isOwnClaimActive } = claim;
  if (reservedUntil) {
    await recordRefusedClaim(ctx, name);
    const from = toIso(Math.max(reservedUntil, barredUntil ?? 0));
    return notAllowed(
      `Another company has added ${name} but not verified its ownership yet. If it doesn't, you can add it from ${from}`,
    );
  }
  if (barredUntil)
    return notAllowed(
      `The ${CLAIM_DAYS} days to verify the ownership of ${name} ended while another company was waiting for it. You can add it again from ${toIso(barredUntil)}`,
    );
  await writeClaim(ctx, name, isOwnClaimActive === true);
  return null;
}

type Claim = {
  /** Until when another company's domain reserves the name, in milliseconds; null if none does. */
  reservedUntil: number | null;
  /** Until when other companies go first, because the company's claim has expired. */
  barredUntil: number | null;
  /** The company's seven days are running; null if it has no claim. */
  isOwnClaimActive: boolean | null;
};

async function readClaim(ctx: Context, name: string): Promise<Claim> {
  const ms = (moment: ReturnType<typeof sql>) =>
    sql`(extract(epoch from ${moment}) * 1000)::float8`;
  const [found] = await ctx.db.execute<Claim>(sql`
    select
      (select ceil(max(${ms(CLAIM_ENDS_AT)})) from domains
        where name = ${name} and company_id <> ${ctx.companyId}
          and ownership_proven_at is null and ${CLAIM_ENDS_AT} > statement_timestamp()) as "reservedUntil",
      own.claimed_at + ${WINDOW} > statement_timestamp() as "isOwnClaimActive",
      case when own.claimed_at + ${WINDOW} <= statement_timestamp()
        and own.claimed_at + 2 * ${WINDOW} > statement_timestamp()
        and exists (select from domain_claims other where other.name = own.name
          and other.company_id <> own.company_id and other.refused_at >= own.claimed_at)
        then ceil(${ms(sql`own.claimed_at + 2 * ${WINDOW}`)}) end as "barredUntil"
    from (select ${name}::text as name, ${ctx.companyId}::uuid as company_id) asked
      left join domain_claims own using (name, company_id)`);
  return found!;
}

/** The company has the name now, so it no longer waits. */
async function writeClaim(ctx: Context, name: string, keepsStart: boolean): Promise<void> {
  const now = sql`clock_timestamp()`;
  await ctx.db
    .insert(domainClaims)
    .values({ name, companyId: ctx.companyId, claimedAt: now })
    .onConflictDoUpdate({
      target: [domainClaims.name, domainClaims.companyId],
      set: keepsStart ? { refusedAt: null } : { refusedAt: null, claimedAt: now },
    });
}

async function recordRefusedClaim(ctx: Context, name: string): Promise<void> {
  const refusedAt = sql`clock_timestamp()`;
  await ctx.db
    .insert(domainClaims)
    .values({ name, companyId: ctx.companyId, refusedAt })
    .onConflictDoUpdate({
      target: [domainClaims.name, domainClaims.companyId],
      set: { refusedAt },
    });
}

/** Deletes the company's claim: it owns the name now. */
export async function endClaim(ctx: Context, name: string): Promise<void> {
  await ctx.db
    .delete(domainClaims)
    .where(and(eq(domainClaims.name, name), eq(domainClaims.companyId, ctx.companyId)));
}

const toIso = (ms: number) => new Date(ms).toISOString();

const notAllowed = (message: string) => new Refusal("not_allowed", message);
