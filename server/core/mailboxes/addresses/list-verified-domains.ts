import { and, asc, count, desc, eq } from "drizzle-orm";

import { domains, mailboxes } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** Lists the company's verified domains, in which addresses can be created, by name. */
export async function listVerifiedDomains(ctx: Context): Promise<string[]> {
  const verified = await ctx.db
    .select({ name: domains.name })
    .from(domains)
    .where(and(eq(domains.companyId, ctx.companyId), eq(domains.status, "verified")))
    .orderBy(asc(domains.name));
  return verified.map(({ name }) => name);
}

/** The verified domain with the most mailboxes, where a new address probably belongs; null without one. */
export async function findMainDomain(ctx: Context): Promise<string | null> {
  const [main] = await ctx.db
    .select({ name: domains.name })
    .from(domains)
    .leftJoin(
      mailboxes,
      and(eq(mailboxes.companyId, domains.companyId), eq(mailboxes.domainId, domains.id)),
    )
    .where(and(eq(domains.companyId, ctx.companyId), eq(domains.status, "verified")))
    .groupBy(domains.id)
    .orderBy(desc(count(mailboxes.address)), asc(domains.name))
    .limit(1);
  return main?.name ?? null;
}
