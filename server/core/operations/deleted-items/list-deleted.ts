import { eq, sql } from "drizzle-orm";

import { deletedItems } from "#drizzle/schema/index.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Context } from "#server/core/shared/context.ts";
import { type Deleted, selectDeleted } from "#server/core/shared/deleted-items/find-deleted.ts";
import { pageNewestFirst } from "#server/core/shared/paging/newest-first.ts";
import { type Page, type PageRequest, toPage } from "#server/core/shared/paging/page.ts";

export type DeletedList = {
  page: Page<Deleted>;
  /** How long deleted items can be restored. */
  keptDays: number;
  /** Of all the company's deleted mailboxes. */
  storageBytes: number;
};

/**
 * Lists what the company has deleted and can restore, newest first.
 *
 * @throws Refusal `invalid` for a cursor that isn't in the list
 */
export async function listDeleted(ctx: Context, page: PageRequest): Promise<DeletedList> {
  const isOwn = eq(deletedItems.companyId, ctx.companyId);
  const paged = pageNewestFirst(ctx.db, deletedItems, isOwn, page);
  const rows = await selectDeleted(ctx, paged.where)
    .orderBy(...paged.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await paged.requireCursor();
  const [settings, [sum]] = await Promise.all([
    readSettings(ctx.db),
    ctx.db
      .select({ bytes: sql<number>`coalesce(sum(${deletedItems.storageBytes}), 0)::float8` })
      .from(deletedItems)
      .where(isOwn),
  ]);
  return {
    page: toPage(rows, page),
    keptDays: settings.keep_deleted_days,
    storageBytes: sum!.bytes,
  };
}
