import { and, eq, inArray, not, sql } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import { recordAuditsAcross } from "#server/core/shared/audit/record-audit.ts";
import type { Actor, Context } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import { CLAIM_DAYS, isLive } from "#server/core/domains/domains/is-live.ts";

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
    ...{ companyId, details: { domainId, name } },
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
