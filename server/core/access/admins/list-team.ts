import { and, eq, inArray, type SQL, sql } from "drizzle-orm";

import { admins } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { containsPattern } from "#server/core/shared/paging/containing.ts";
import { type Page, type PageRequest, toPage } from "#server/core/shared/paging/page.ts";
import { readInParts } from "#server/core/shared/paging/read-in-parts.ts";
import {
  countSorted,
  pageSorted,
  type Sort,
  sortOrders,
} from "#server/core/shared/paging/sorted.ts";

import { selectShownAdmins, type ShownAdmin } from "./shown-admin.ts";

export type TeamSort = Sort<"email" | "name" | "seen">;

const orderOf = sortOrders({
  email: admins.email,
  name: sql`lower(${admins.name})`,
  seen: sql`coalesce((select max(coalesce(s.last_used_at, s.created_at))
    from sessions s where s.user_id = admins.id), '-infinity')`,
});

/**
 * A page of the company's admins.
 *
 * @param search part of the address or name, case-insensitive; null for all
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export async function listTeam(
  ctx: Context,
  page: PageRequest,
  search: string | null,
  sort: TeamSort,
): Promise<Page<ShownAdmin>> {
  const list = pageSorted(ctx.db, admins, orderOf(sort), inList(ctx, search), page);
  const rows = await selectShownAdmins(ctx)
    .where(list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await list.requireCursor();
  return toPage(rows, page);
}

/** Reads all admins of a search in parts (`readInParts`), in the order of the beginning. */
export async function* readWholeTeam(
  ctx: Context,
  search: string | null,
  sort: TeamSort,
  rowsPerRead?: number,
): AsyncGenerator<ShownAdmin[]> {
  const all = inList(ctx, search);
  const start = { limit: 1, after: null, before: null };
  const { orderBy } = pageSorted(ctx.db, admins, orderOf(sort), all, start);
  const listed = await ctx.db
    .select({ id: admins.id })
    .from(admins)
    .where(all)
    .orderBy(...orderBy);
  yield* readInParts(
    listed.map(({ id }) => id),
    (part) => selectShownAdmins(ctx).where(and(all, inArray(admins.id, part))),
    ({ id }) => id,
    rowsPerRead,
  );
}

/** @param first the first admin of the page */
export const countTeam = (
  ctx: Context,
  search: string | null,
  sort: TeamSort,
  first: ShownAdmin | undefined,
) => countSorted(ctx.db, admins, orderOf(sort), { inList: inList(ctx, search) }, first);

const inList = (ctx: Context, search: string | null) =>
  and(eq(admins.companyId, ctx.companyId), matchesSearch(search))!;

function matchesSearch(search: string | null): SQL | undefined {
  if (!search) return undefined;
  const pattern = containsPattern(search);
  return sql`(${admins.email} like ${pattern} or lower(${admins.name}) like ${pattern})`;
}
