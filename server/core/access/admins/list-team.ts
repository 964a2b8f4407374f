import { and, eq, type SQL, sql } from "drizzle-orm";

import { admins } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { pageByAddress } from "#server/core/shared/paging/by-address.ts";
import { containsPattern } from "#server/core/shared/paging/containing.ts";
import {
  invalidCursor,
  type Page,
  type PageRequest,
  toPage,
} from "#server/core/shared/paging/page.ts";

import { selectShownAdmins, type ShownAdmin } from "./shown-admin.ts";

/**
 * A page of the company's admins, by address.
 *
 * @param search part of the address or name, case-insensitive; null for all
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export async function listTeam(
  ctx: Context,
  page: PageRequest,
  search: string | null,
): Promise<Page<ShownAdmin>> {
  const inList = and(eq(admins.companyId, ctx.companyId), matchesSearch(search));
  const list = pageByAddress(admins.email, inList, page);
  if (list.cursor !== null) {
    const cursor = and(inList, eq(admins.email, list.cursor));
    if ((await ctx.db.$count(admins, cursor)) === 0) throw invalidCursor();
  }
  const rows = await selectShownAdmins(ctx)
    .where(list.where)
    .orderBy(list.orderBy)
    .limit(page.limit + 1);
  return toPage(rows, page);
}

function matchesSearch(search: string | null): SQL | undefined {
  if (!search) return undefined;
  const pattern = containsPattern(search);
  return sql`(${admins.email} like ${pattern} or lower(${admins.name}) like ${pattern})`;
}
