import { and, eq, ne } from "drizzle-orm";

import { templates } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { lockCompany } from "#server/core/shared/lock-company.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/**
 * Locks the company, so that two templates can't take the same alias at the same time.
 *
 * @param ownId the template that may have it already
 * @throws Refusal `invalid` if another template of the company has the alias
 */
export async function requireFreeAlias(ctx: Context, alias: string, ownId?: string): Promise<void> {
  await lockCompany(ctx);
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
