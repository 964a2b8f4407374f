import { and, eq, ne } from "drizzle-orm";

import { companies, templates } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/**
 * Locks the company, so that two templates can't take the same alias at the same time.
 *
 * @param ownId the template that may have it already
 * @throws Refusal `invalid` if another template of the company has the alias
 */
export async function requireFreeAlias(ctx: Context, alias: string, ownId?: string): Promise<void> {
  await ctx.db
    .select({ id: companies.id })
    .from(companies)
    .where(eq(companies.id, ctx.companyId))
    .for("no key update");
  const taken = await ctx.db.$count(
    templates,
    and(
      eq(templates.companyId, ctx.companyId),
      eq(templates.alias, alias),
      ownId === undefined ? undefined : ne(templates.id, ownId),
    ),
  );
  if (taken > 0) throw new Refusal("invalid", "alias: is used by another template");
}
