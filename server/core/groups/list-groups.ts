import { and, eq, type SQL } from "drizzle-orm";

import { addresses, groups } from "#drizzle/schema/index.ts";
import { requireProvenDomain } from "#server/core/addresses/new-address.ts";
import type { Context } from "#server/core/context.ts";
import { byAddress } from "#server/core/paging/by-address.ts";
import { invalidCursor, type Page, type PageRequest, pageOf } from "#server/core/paging/page.ts";

import { shownColumns, shownGroup, type ShownGroup } from "./shown-group.ts";

/**
 * A page of the company's groups, ordered by address.
 *
 * @param domain name of the one domain whose groups are asked for, or null
 * @throws Refusal `invalid` for a cursor that is not in the list, or a domain that is not the company's
 *   or not proven
 */
export async function listGroups(
  ctx: Context,
  page: PageRequest,
  domain: string | null,
): Promise<Page<ShownGroup>> {
  const inList = await inDomain(ctx, domain);
  const list = byAddress(addresses.address, inList, page);
  if (list.cursor !== null) await requireInList(ctx, list.cursor, inList);
  const rows = await ctx.db
    .select(shownColumns)
    .from(addresses)
    .innerJoin(groups, eq(groups.address, addresses.address))
    .where(list.where)
    .orderBy(list.orderBy)
    .limit(page.limit + 1);
  const { rows: shown, hasMore } = pageOf(rows, page);
  return { rows: shown.map(shownGroup), hasMore };
}

async function inDomain(ctx: Context, domain: string | null): Promise<SQL | undefined> {
  const isGroup = eq(addresses.kind, "group");
  if (domain === null) return and(eq(addresses.companyId, ctx.companyId), isGroup);
  const domainId = await requireProvenDomain(ctx, domain, "domain");
  return and(eq(addresses.domainId, domainId), isGroup);
}

async function requireInList(ctx: Context, cursor: string, inList: SQL | undefined): Promise<void> {
  const [found] = await ctx.db
    .select({ address: addresses.address })
    .from(addresses)
    .where(and(inList, eq(addresses.address, cursor)));
  if (!found) throw invalidCursor();
}
