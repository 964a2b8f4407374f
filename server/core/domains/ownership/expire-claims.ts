import { and, eq, inArray, not, sql } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import { recordAuditsAcross } from "#server/core/shared/audit/record-audit.ts";
import type { Actor, Context } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import { CLAIM_DAYS, isLive } from "#server/core/domains/domains/is-live.ts";

const BATCH = 500;

/**
 * Deletes domains whose seven days ended without proof of ownership, each with an entry in its company's
 * audit log, and forgets claims that decide about nothing any more. Nobody has seen these domains since
 * the moment they ended; see `isLive`.
 *
 * @returns how many domains it deleted
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

/** Deletes what has expired of one name, in the transaction of somebody who wants to have it. */
export async function expireName(ctx: Context, name: string): Promise<void> {
  const over = await ctx.db
    .delete(domains)
    .where(and(eq(domains.name, name), not(isLive)))
    .returning(EXPIRED);
  await auditExpired(ctx.db, over);
}

const EXPIRY: Actor = { kind: "system", task: "expire_domain_claims" };
const EXPIRED = { id: domains.id, companyId: domains.companyId, name: domains.name };

async function expireBatch(db: Db): Promise<number> {
  const over = await db
    .select({ id: domains.id })
    .from(domains)
    .where(not(isLive))
    .limit(BATCH)
    // Held by somebody who reads or ends it at this moment: next time.
    .for("update", { skipLocked: true });
  if (over.length === 0) return 0;
  const ids = over.map(({ id }) => id);
  const deleted = await db.delete(domains).where(inArray(domains.id, ids)).returning(EXPIRED);
  await auditExpired(db, deleted);
  return deleted.length;
}

async function auditExpired(db: Db, over: { id: string; companyId: string; name: string }[]) {
  const entries = over.map(({ id: domainId, companyId, name }) => ({
    ...{ companyId, details: { domainId, name } },
  }));
  await recordAuditsAcross({ db, actor: EXPIRY }, "domain.expired", entries);
}

/** What expires does so by itself, whoever looks first. */
export const asSystem = (db: Db, companyId: string): Context => ({
  ...{ db, companyId, now: () => new Date() },
  actor: EXPIRY,
});

/**
 * A claim is remembered for seven days after its end, in which it may keep its company from adding the
 * name again, and so is it for as long that a company waits for a name.
 */
async function deleteOldClaims(db: Db): Promise<void> {
  await db.execute(sql`
    delete from domain_claims c
    where greatest(claimed_at, refused_at)
        < statement_timestamp() - make_interval(days => ${2 * CLAIM_DAYS})
      and not exists (select from domains d where d.company_id = c.company_id and d.name = c.name)`);
}
