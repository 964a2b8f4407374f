import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";

import { admins, type ApiKey, apiKeys, domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { type Page, type PageRequest, toPage } from "#server/core/shared/paging/page.ts";
import {
  countSorted,
  pageSorted,
  type Sort,
  sortOrders,
} from "#server/core/shared/paging/sorted.ts";

/** What the console shows of a key; leaves out the secret's hash. */
export const SHOWN_KEY = {
  id: apiKeys.id,
  name: apiKeys.name,
  prefix: apiKeys.prefix,
  permission: apiKeys.permission,
  domain: domains.name,
  allowedAddresses: apiKeys.allowedAddresses,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
  revokedAt: apiKeys.revokedAt,
  creatorId: admins.id,
  creatorName: admins.name,
  creatorEmail: admins.email,
  /** Set while the creator's access is suspended, which makes the key invalid. */
  creatorDisabledAt: admins.disabledAt,
};

export type ShownKey = Omit<ApiKey, "companyId" | "creatorId" | "domainId" | "secretHash"> & {
  domain: string | null;
  creatorId: string;
  creatorName: string;
  creatorEmail: string;
  creatorDisabledAt: string | null;
};

export type KeySort = Sort<"name" | "used" | "created">;

const orderOf = sortOrders({
  name: sql`lower(${apiKeys.name})`,
  used: sql`coalesce(${apiKeys.revokedAt}, ${apiKeys.lastUsedAt}, '-infinity')`,
  created: apiKeys.createdAt,
});
const NEWEST_FIRST: KeySort = { by: "created", direction: "descending" };

/**
 * A page of the company's active or revoked keys with their creators. "used" sorts revoked keys by their revocation.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export async function listKeysWithCreators(
  ctx: Context,
  page: PageRequest,
  { isRevoked }: { isRevoked: boolean },
  sort = NEWEST_FIRST,
): Promise<Page<ShownKey>> {
  const list = pageSorted(ctx.db, apiKeys, orderOf(sort), inList(ctx, isRevoked), page);
  const rows = await ctx.db
    .select(SHOWN_KEY)
    .from(apiKeys)
    .innerJoin(admins, eq(admins.id, apiKeys.creatorId))
    .leftJoin(domains, eq(domains.id, apiKeys.domainId))
    .where(list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await list.requireCursor();
  return toPage(rows, page);
}

/** @param first the first key of the page */
export const countKeys = (
  ctx: Context,
  { isRevoked }: { isRevoked: boolean },
  sort: KeySort,
  first: ShownKey | undefined,
) => countSorted(ctx.db, apiKeys, orderOf(sort), { inList: inList(ctx, isRevoked) }, first);

const inList = (ctx: Context, isRevoked: boolean) =>
  and(eq(apiKeys.companyId, ctx.companyId), (isRevoked ? isNotNull : isNull)(apiKeys.revokedAt))!;
