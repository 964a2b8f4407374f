import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";

/**
 * Serializes decisions about who has a domain name. Taken before the lock of the company's domains and the
 * rows of domains, to avoid deadlocks.
 */
export async function lockName(ctx: Context, name: string): Promise<void> {
  await lock(ctx, `domain ${name}`);
}

/** Serializes additions of domains to a company, whose limits are counted under this lock. */
export async function lockCompanyDomains(ctx: Context): Promise<void> {
  await lock(ctx, `domains of ${ctx.companyId}`);
}

const lock = (ctx: Context, what: string) =>
  ctx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${what}, 0))`);
