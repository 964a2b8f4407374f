import { and, eq, getTableColumns, sql } from "drizzle-orm";

import { type Domain, domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { type Page, type PageRequest, toPage } from "#server/core/shared/paging/page.ts";
import {
  countSorted,
  pageSorted,
  type Sort,
  sortOrders,
} from "#server/core/shared/paging/sorted.ts";

import { isLive } from "./is-live.ts";

/** A domain, and whether its MX record pointed here at the last check. */
export type ListedDomain = Domain & { receives: boolean };

/** A subquery per row uses an index, whatever the planner's row estimates. */
const RECEIVES = sql<boolean>`coalesce((select f.is_verified from domain_findings f
  where f.domain_id = domains.id and f.record = 'mx'), false)
  and domains.ownership_proven_at is not null`;

export type DomainSort = Sort<"name" | "created">;

const orderOf = sortOrders({ name: domains.name, created: domains.createdAt });
const NEWEST_FIRST: DomainSort = { by: "created", direction: "descending" };

/**
 * Returns a page of the company's domains.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export async function listDomains(
  ctx: Context,
  page: PageRequest,
  sort = NEWEST_FIRST,
): Promise<Page<ListedDomain>> {
  const list = pageSorted(ctx.db, domains, orderOf(sort), inList(ctx), page);
  const rows = await ctx.db
    .select({ ...getTableColumns(domains), receives: RECEIVES })
    .from(domains)
    .where(list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await list.requireCursor();
  return toPage(rows, page);
}

/** @param first the first domain of the page */
export const countDomains = (ctx: Context, sort: DomainSort, first: Domain | undefined) =>
  countSorted(ctx.db, domains, orderOf(sort), { inList: inList(ctx) }, first);

const inList = (ctx: Context) => and(eq(domains.companyId, ctx.companyId), isLive)!;
