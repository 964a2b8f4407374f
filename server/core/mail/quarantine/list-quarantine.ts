import { and, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";

import { type Quarantined, quarantine } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { ListCounts } from "#server/core/shared/paging/count-rows.ts";
import {
  type Direction,
  type DirectedPageRequest,
  type Page,
  toPage,
} from "#server/core/shared/paging/page.ts";
import { byTime, countSorted, pageSorted } from "#server/core/shared/paging/sorted.ts";

import type { QuarantineReason } from "./visible-reasons.ts";

export type QuarantineFilter = {
  /** Reasons to include, which the caller must be allowed to see. */
  reasons: QuarantineReason[];
  /** Substring of sender, subject or recipients, case-insensitive; null for all. */
  search: string | null;
};

/**
 * A page of the company's quarantine.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export async function listQuarantine(
  ctx: Context,
  page: DirectedPageRequest,
  filter: QuarantineFilter,
): Promise<Page<Quarantined>> {
  const order = byTime(quarantine, page.direction);
  const list = pageSorted(ctx.db, quarantine, order, conditions(ctx, filter), page);
  const rows = await ctx.db
    .select()
    .from(quarantine)
    .where(list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await list.requireCursor();
  return toPage(rows, page);
}

/** @param first the first message of the page */
export const countQuarantine = (
  ctx: Context,
  filter: QuarantineFilter,
  first: Quarantined | undefined,
  direction: Direction,
): Promise<ListCounts | null> =>
  countSorted(
    ctx.db,
    quarantine,
    byTime(quarantine, direction),
    { inList: conditions(ctx, { ...filter, search: null }), fits: contains(filter.search) },
    first,
  );

const conditions = (ctx: Context, { reasons, search }: QuarantineFilter) =>
  and(
    eq(quarantine.companyId, ctx.companyId),
    inArray(quarantine.reason, reasons),
    isNull(quarantine.releasedAs),
    contains(search),
  )!;

/** Joins the fields with line breaks, so that a search doesn't match across two of them. */
function contains(search: string | null): SQL | undefined {
  if (search === null) return undefined;
  const { sender, headerFrom, subject, recipients } = quarantine;
  const all = sql`concat_ws(chr(10), ${sender}, ${headerFrom}, ${subject}, array_to_string(${recipients}, chr(10)))`;
  return sql`strpos(lower(${all}), lower(${search.replaceAll("\0", "")})) > 0`;
}
