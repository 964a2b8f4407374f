import { and, eq, sql } from "drizzle-orm";

import { type Domain, domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { lock } from "#server/db/advisory-locks.ts";

const domainNotFound = () => new Refusal("not_found", "Domain not found");

/**
 * Returns the company's domain with this id, unless it has expired.
 *
 * @throws Refusal `not_found`
 */
export async function requireDomain(ctx: Context, id: string): Promise<Domain> {
  const [domain] = isUuid(id) ? await select(ctx, id) : [];
  if (!domain) throw domainNotFound();
  return domain;
}

/** Like `requireDomain`, and locks the row until the transaction ends. */
export async function lockDomain(ctx: Context, id: string): Promise<Domain> {
  const [domain] = isUuid(id) ? await select(ctx, id).for("update") : [];
  if (!domain) throw domainNotFound();
  return domain;
}

const select = (ctx: Context, id: string) =>
  ctx.db
    .select()
    .from(domains)
    .where(and(eq(domains.id, id), eq(domains.companyId, ctx.companyId), isLive));

/**
 * Serializes decisions about who has a domain name. Taken before the lock of the company's domains and the
 * rows of domains, to avoid deadlocks.
 */
export async function lockName(ctx: Context, name: string): Promise<void> {
  await lock(ctx.db, "domainName", name);
}

/** Serializes additions of domains to a company, whose limits are counted under this lock. */
export async function lockCompanyDomains(ctx: Context): Promise<void> {
  await lock(ctx.db, "companyDomains", ctx.companyId);
}

/** How long a company has to verify ownership, from its first addition of the name. */
export const CLAIM_DAYS = 7;

const WINDOW = sql`make_interval(days => ${sql.raw(String(CLAIM_DAYS))})`;

/** When the seven days of a row of `domains` began. Qualified names, since the subquery has a `name` too. */
const CLAIMED_AT = sql`coalesce((select c.claimed_at from domain_claims c
  where c.name = domains.name and c.company_id = domains.company_id), domains.created_at)`;

/** When a row of `domains` expires unless its ownership is verified. */
export const CLAIM_ENDS_AT = sql<string>`${CLAIMED_AT} + ${WINDOW}`;

/**
 * Whether a row of `domains` is visible: its ownership is verified or was lost to another company, or its
 * seven days aren't over. Every read must use this, since the task that deletes expired rows may run late.
 */
export const isLive = sql`(domains.ownership_proven_at is not null
  or domains.ownership_lost_at is not null
  or ${CLAIM_ENDS_AT} > statement_timestamp())`;
