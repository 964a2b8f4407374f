import { and, asc, desc, eq, isNull, type SQL, sql } from "drizzle-orm";

import { type ApiKey, apiKeys } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";
import {
  invalidCursor,
  isUuid,
  type Page,
  type PageRequest,
  pageOf,
} from "#server/core/paging/page.ts";

/** A key without anything that could be used in its place. */
export type ListedApiKey = Omit<ApiKey, "secretHash">;

const { id, companyId, creatorId, name, permission, domainId, prefix } = apiKeys;
const { createdAt, lastUsedAt, revokedAt } = apiKeys;
const LISTED = {
  ...{ id, companyId, creatorId, name, permission, domainId, prefix },
  ...{ createdAt, lastUsedAt, revokedAt },
};

/**
 * A page of the company's active keys, newest first.
 *
 * @throws Refusal `invalid` for a cursor that is no active key of the company
 */
export async function listApiKeys(ctx: Context, page: PageRequest): Promise<Page<ListedApiKey>> {
  const cursor = page.after ?? page.before;
  const from = cursor === null ? undefined : await boundaryAt(ctx, cursor, page.before === null);
  const direction = page.before === null ? desc : asc;
  const rows = await ctx.db
    .select(LISTED)
    .from(apiKeys)
    .where(and(isActiveKeyOf(ctx), from))
    .orderBy(direction(apiKeys.createdAt), direction(apiKeys.id))
    .limit(page.limit + 1);
  return pageOf(rows, page);
}

const isActiveKeyOf = (ctx: Context) =>
  and(eq(apiKeys.companyId, ctx.companyId), isNull(apiKeys.revokedAt));

async function boundaryAt(ctx: Context, cursor: string, isForward: boolean): Promise<SQL> {
  if (!isUuid(cursor)) throw invalidCursor();
  const [found] = await ctx.db
    .select({ createdAt: apiKeys.createdAt, id: apiKeys.id })
    .from(apiKeys)
    .where(and(isActiveKeyOf(ctx), eq(apiKeys.id, cursor)));
  if (!found) throw invalidCursor();
  const position = sql`(${apiKeys.createdAt}, ${apiKeys.id})`;
  const of = sql`(${found.createdAt}, ${found.id})`;
  return isForward ? sql`${position} < ${of}` : sql`${position} > ${of}`;
}
