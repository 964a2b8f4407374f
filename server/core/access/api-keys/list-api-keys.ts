import { and, eq, isNull } from "drizzle-orm";

import { type ApiKey, apiKeys } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { pageNewestFirst } from "#server/core/shared/paging/newest-first.ts";
import { type Page, type PageRequest, toPage } from "#server/core/shared/paging/page.ts";

const { id, name, permission, domainId, prefix, createdAt, lastUsedAt } = apiKeys;
const LISTED = { id, name, permission, domainId, prefix, createdAt, lastUsedAt };

/** A key without its secret's hash. */
export type ListedApiKey = Pick<ApiKey, keyof typeof LISTED>;

/**
 * A page of the company's active keys, newest first.
 *
 * @throws Refusal `invalid` for a cursor that isn't an active key of the company
 */
export async function listApiKeys(ctx: Context, page: PageRequest): Promise<Page<ListedApiKey>> {
  const isListed = and(eq(apiKeys.companyId, ctx.companyId), isNull(apiKeys.revokedAt));
  const list = pageNewestFirst(ctx.db, apiKeys, isListed, page);
  const rows = await ctx.db
    .select(LISTED)
    .from(apiKeys)
    .where(list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await list.requireCursor();
  return toPage(rows, page);
}
