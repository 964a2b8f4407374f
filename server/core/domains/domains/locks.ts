import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";

/**
 * Waits until no other transaction decides about who has a domain name. Taken before the lock of the
 * company's domains and before the rows of domains, so that nobody waits in a circle.
 */
export async function lockName(ctx: Context, name: string): Promise<void> {
  await lock(ctx, `domain ${name}`);
}

/** Waits until no other transaction adds a domain to the company: its limits are counted under this. */
export async function lockCompanyDomains(ctx: Context): Promise<void> {
  await lock(ctx, `domains of ${ctx.companyId}`);
}

const lock = (ctx: Context, what: string) =>
  ctx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${what}, 0))`);
