import { and, eq, inArray } from "drizzle-orm";

import { type Suppression, suppressions } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { pageNewestFirst } from "#server/core/shared/paging/newest-first.ts";
import { type Page, type PageRequest, toPage } from "#server/core/shared/paging/page.ts";

/**
 * Returns a page of the company's suppression list, newest first, optionally of some origins.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export async function listSuppressions(
  ctx: Context,
  page: PageRequest,
  origins: Suppression["origin"][] | null,
): Promise<Page<Suppression>> {
  const inList = and(
    eq(suppressions.companyId, ctx.companyId),
    origins === null ? undefined : inArray(suppressions.origin, origins),
  );
  const list = pageNewestFirst(ctx.db, suppressions, inList, page);
  const rows = await ctx.db
    .select()
    .from(suppressions)
    .where(list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await list.requireCursor();
  return toPage(rows, page);
}
