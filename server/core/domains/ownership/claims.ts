import { and, eq, inArray, ne, not, sql } from "drizzle-orm";

import { deletedItems, domainClaims, domains } from "#drizzle/schema/index.ts";
import { CLAIM_DAYS, CLAIM_ENDS_AT, isLive } from "#server/core/domains/domains/require-domain.ts";
import { recordAuditsAcross } from "#server/core/shared/audit/record-audit.ts";
import type { Actor, CompanyScope, Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

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

const BATCH = 500;

/**
 * Deletes domains whose seven days ended without verified ownership, with audit entries, and old claims.
 * Expired domains are already invisible; see `isLive`.
 *
 * @returns the number of domains deleted
 */
export async function expireClaims(db: Db): Promise<number> {
  let expired = 0;
  for (;;) {
    const batch = await db.transaction((tx) => expireBatch(tx));
    expired += batch;
    if (batch < BATCH) break;
  }
  await deleteOldClaims(db);
  return expired;
}

/** Deletes expired domains with this name, in the transaction of a company that adds it. */
export async function expireName(ctx: Context, name: string): Promise<void> {
  const over = await ctx.db
    .delete(domains)
    .where(and(eq(domains.name, name), not(isLive)))
    .returning(EXPIRED);
  await auditExpired(ctx.db, over);
}

/** Expiry is audited as the system's action, whatever triggers it. */
export const EXPIRY: Actor = { kind: "system", task: "expire_domain_claims" };

export const EXPIRED = { id: domains.id, companyId: domains.companyId, name: domains.name };

async function expireBatch(db: Db): Promise<number> {
  const over = await db
    .select({ id: domains.id })
    .from(domains)
    .where(not(isLive))
    .limit(BATCH)
    // Locked rows are left for the next run.
    .for("update", { skipLocked: true });
  if (over.length === 0) return 0;
  const ids = over.map(({ id }) => id);
  const deleted = await db.delete(domains).where(inArray(domains.id, ids)).returning(EXPIRED);
  await auditExpired(db, deleted);
  return deleted.length;
}

export async function auditExpired(
  db: Db,
  over: { id: string; companyId: string; name: string }[],
) {
  const entries = over.map(({ id: domainId, companyId, name }) => ({
    companyId,
    details: { domainId, name },
  }));
  await recordAuditsAcross({ db, actor: EXPIRY }, "domain.expired", entries);
}

/**
 * Claims are kept for seven days after their end, while they may delay their company, and so are
 * denied claims.
 */
async function deleteOldClaims(db: Db): Promise<void> {
  await db.execute(sql`
    delete from domain_claims c
    where greatest(claimed_at, refused_at)
        < statement_timestamp() - make_interval(days => ${2 * CLAIM_DAYS})
      and not exists (select from domains d where d.company_id = c.company_id and d.name = c.name)`);
}

/**
 * Whether another company owns the name: its ownership is verified, and its record is published or has been
 * missing for less than the grace period, or it deleted the domain within the grace period and can restore it. No other
 * company can add the name then.
 */
export async function isOwnedElsewhere(
  { db, companyId }: CompanyScope,
  name: string,
): Promise<boolean> {
  const [other] = await db
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.name, name), blocksName, ne(domains.companyId, companyId)));
  return other !== undefined || (await isKeptElsewhere({ db, companyId }, name));
}

/** The record of a deleted domain isn't checked, so it counts as missing since the deletion at the latest. */
async function isKeptElsewhere({ db, companyId }: CompanyScope, name: string): Promise<boolean> {
  const kept = sql`${deletedItems.contents} -> 'domains' -> 0`;
  const isKept = and(
    eq(deletedItems.name, name),
    eq(deletedItems.kind, "domain"),
    eq(deletedItems.isReserved, true),
    ne(deletedItems.companyId, companyId),
    sql`${kept} ->> 'ownership_proven_at' is not null`,
    sql`least((${kept} ->> 'ownership_missing_since')::timestamptz, ${deletedItems.createdAt})
      > statement_timestamp() - make_interval(days => ${OWNERSHIP_GRACE_DAYS})`,
  );
  return (await db.$count(deletedItems, isKept)) > 0;
}

/** How long the ownership record may be missing before another company can take the name over. */
export const OWNERSHIP_GRACE_DAYS = 14;

/**
 * Whether a row of `domains` blocks its name for others: its ownership is verified, and the record is
 * present or within the grace period.
 */
export const blocksName = sql`(domains.ownership_proven_at is not null
  and coalesce(domains.ownership_missing_since
    > statement_timestamp() - make_interval(days => ${sql.raw(String(OWNERSHIP_GRACE_DAYS))}), true))`;
