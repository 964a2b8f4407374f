import { and, eq, sql } from "drizzle-orm";

import { domainClaims } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { CLAIM_DAYS, CLAIM_ENDS_AT } from "#server/core/domains/domains/is-live.ts";

const WINDOW = sql`make_interval(days => ${CLAIM_DAYS})`;

/**
 * Claims a name for the company, under the lock of the name: its seven days begin now, or go on where
 * they began within the last seven.
 *
 * Without proof a name is held by the company that has it as a domain, so deleting the domain lets
 * others have it at once. Who is refused because of that waits for the name. When a claim ends while
 * somebody waits, its company may add the name again seven days later: until then others come first.
 *
 * @returns why it cannot be, for the caller to throw after the commit: that it was refused is kept
 */
export async function claimName(ctx: Context, name: string): Promise<Refusal | null> {
  const claim = await readClaim(ctx, name);
  const { reservedUntil, barredUntil, isOwnClaimActive } = claim;
  if (reservedUntil) {
    await recordRefusedClaim(ctx, name);
    const from = toIso(Math.max(reservedUntil, barredUntil ?? 0));
    return notAllowed(
      `Another company has added ${name} and not proven its ownership yet. If it does not, you can add it from ${from} on`,
    );
  }
  if (barredUntil)
    return notAllowed(
      `The ${CLAIM_DAYS} days to prove the ownership of ${name} ended while another company was waiting for it. You can add it again from ${toIso(barredUntil)} on`,
    );
  await writeClaim(ctx, name, isOwnClaimActive === true);
  return null;
}

type Claim = {
  /** Until when another company's domain holds the name, in milliseconds; null when none does. */
  reservedUntil: number | null;
  /** Until when others come before the company, because its own claim ended. */
  barredUntil: number | null;
  /** The company's seven days run; null when it has not claimed the name. */
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

/** It has the name now, so it waits no longer. */
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

/** The company needs no claim any more: it has the name, for good. */
export async function endClaim(ctx: Context, name: string): Promise<void> {
  await ctx.db
    .delete(domainClaims)
    .where(and(eq(domainClaims.name, name), eq(domainClaims.companyId, ctx.companyId)));
}

const toIso = (ms: number) => new Date(ms).toISOString();

const notAllowed = (message: string) => new Refusal("not_allowed", message);
