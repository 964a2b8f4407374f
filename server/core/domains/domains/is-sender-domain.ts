import { and, eq } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** Whether the company has a domain with this name; unless the caller's key is a test key, a verified one. */
export async function isSenderDomain(ctx: Context, name: string): Promise<boolean> {
  const verified = ctx.isTest ? undefined : eq(domains.status, "verified");
  const own = and(eq(domains.companyId, ctx.companyId), eq(domains.name, name), verified);
  return (await ctx.db.$count(domains, own)) > 0;
}
