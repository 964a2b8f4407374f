import { and, eq, lt, type SQL, sql } from "drizzle-orm";

import { addresses, groups } from "#drizzle/schema/index.ts";
import { requireOwnedDomain } from "#server/core/mailboxes/addresses/new-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import { pageByAddress } from "#server/core/shared/paging/by-address.ts";
import { countRows, type ListCounts } from "#server/core/shared/paging/count-rows.ts";
import { containsPattern } from "#server/core/shared/paging/containing.ts";
import {
  invalidCursor,
  type Page,
  type PageRequest,
  toPage,
} from "#server/core/shared/paging/page.ts";

import { shownColumns, shownGroup, type ShownGroup } from "./shown-group.ts";

/** Fields left out don't filter. */
export type GroupFilter = {
  /** Name of a domain. */
  domain?: string | undefined;
  /** Part of the address, the name or a member's address, case-insensitive. */
  search?: string | undefined;
};

/**
 * A page of the company's groups, by address.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list, or a domain that isn't the company's or
 *   whose ownership isn't verified
 */
export async function listGroups(
  ctx: Context,
  page: PageRequest,
  filter: GroupFilter = {},
): Promise<Page<ShownGroup>> {
  const inList = and(await inDomain(ctx, filter.domain), matchesSearch(filter.search));
  const list = pageByAddress(addresses.address, inList, page);
  if (list.cursor !== null) await requireInList(ctx, list.cursor, inList);
  const rows = await ctx.db
    .select(shownColumns)
    .from(addresses)
    .innerJoin(groups, eq(groups.address, addresses.address))
    .where(list.where)
    .orderBy(list.orderBy)
    .limit(page.limit + 1);
  const { rows: shown, hasMore } = toPage(rows, page);
  return { rows: shown.map(shownGroup), hasMore };
}

/** Counts the groups of a search, and those before `first`, the first one of a page. */
export async function countGroups(
  ctx: Context,
  filter: GroupFilter,
  first: string | undefined,
): Promise<ListCounts> {
  const inList = and(await inDomain(ctx, filter.domain), matchesSearch(filter.search));
  const rows = (where: SQL | undefined) =>
    ctx.db
      .select({ address: addresses.address })
      .from(addresses)
      .innerJoin(groups, eq(groups.address, addresses.address))
      .where(where);
  const [{ count: total, isCut }, before] = await Promise.all([
    countRows(ctx.db, rows(inList)),
    first ? countRows(ctx.db, rows(and(inList, lt(addresses.address, first)))) : { count: 0 },
  ]);
  return { before: before.count, total, isCut };
}

async function inDomain(ctx: Context, domain: string | undefined): Promise<SQL | undefined> {
  const isGroup = eq(addresses.kind, "group");
  if (domain === undefined) return and(eq(addresses.companyId, ctx.companyId), isGroup);
  const domainId = await requireOwnedDomain(ctx, domain, "domain");
  return and(eq(addresses.domainId, domainId), isGroup);
}

function matchesSearch(search: string | undefined): SQL | undefined {
  if (!search) return undefined;
  const pattern = containsPattern(search);
  return sql`(${groups.address} like ${pattern} or lower(${groups.name}) like ${pattern} or exists (
    select from group_members m where m.group_address = ${groups.address} and m.member like ${pattern}))`;
}

async function requireInList(ctx: Context, cursor: string, inList: SQL | undefined): Promise<void> {
  const [found] = await ctx.db
    .select({ address: addresses.address })
    .from(addresses)
    .innerJoin(groups, eq(groups.address, addresses.address))
    .where(and(inList, eq(addresses.address, cursor)));
  if (!found) throw invalidCursor();
}
