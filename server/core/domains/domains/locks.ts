import type { Context } from "#server/core/shared/context.ts";
import { lock } from "#server/db/advisory-locks.ts";

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
