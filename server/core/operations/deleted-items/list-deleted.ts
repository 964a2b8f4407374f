import { eq, sql } from "drizzle-orm";

import { deletedItems } from "#drizzle/schema/index.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Context } from "#server/core/shared/context.ts";
import { type Deleted, selectDeleted } from "#server/core/shared/deleted-items/find-deleted.ts";
import type { ListCounts } from "#server/core/shared/paging/count-rows.ts";
import { type DirectedPageRequest, type Page, toPage } from "#server/core/shared/paging/page.ts";
import { byTime, countSorted, pageSorted } from "#server/core/shared/paging/sorted.ts";

export type DeletedList = {
  page: Page<Deleted>;
  counts: ListCounts | null;
  /** How long deleted items can be restored. */
  keptDays: number;
  /** Total size of the company's deleted mailboxes. */
  storageBytes: number;
};

/**
 * Lists what the company has deleted and can restore.
 *
 * @throws Refusal `invalid` for a cursor that isn't in the list
 */
export async function listDeleted(ctx: Context, page: DirectedPageRequest): Promise<DeletedList> {
  const isOwn = eq(deletedItems.companyId, ctx.companyId);
  const order = byTime(deletedItems, page.direction);
  const paged = pageSorted(ctx.db, deletedItems, order, isOwn, page);
  const rows = await selectDeleted(ctx, paged.where)
    .orderBy(...paged.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await paged.requireCursor();
  const shown = toPage(rows, page);
  const [settings, counts, [sum]] = await Promise.all([
    readSettings(ctx.db),
    countSorted(ctx.db, deletedItems, order, { inList: isOwn }, shown.rows[0]),
    ctx.db
      .select({ bytes: sql<number>`coalesce(sum(${deletedItems.storageBytes}), 0)::float8` })
      .from(deletedItems)
      .where(isOwn),
  ]);
  return {
    page: shown,
    counts,
    keptDays: settings.keep_deleted_days,
    storageBytes: sum!.bytes,
  };
}
