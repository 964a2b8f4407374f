import { eq } from "drizzle-orm";

import { webhooks } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { countNewestFirst } from "#server/core/shared/paging/count-newest-first.ts";
import { pageNewestFirst } from "#server/core/shared/paging/newest-first.ts";
import { type Page, type PageRequest, toPage } from "#server/core/shared/paging/page.ts";

import { type ShownWebhook, shownWebhook } from "./shown-webhook.ts";

/**
 * Returns a page of the company's webhooks, newest first.
 *
 * @throws Refusal `invalid` for a cursor that is not a webhook of the company
 */
export async function listWebhooks(ctx: Context, page: PageRequest): Promise<Page<ShownWebhook>> {
  const list = pageNewestFirst(ctx.db, webhooks, inList(ctx), page);
  const rows = await ctx.db
    .select()
    .from(webhooks)
    .where(list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await list.requireCursor();
  return toPage(rows.map(shownWebhook), page);
}

/** @param first the first webhook of the page */
export const countWebhooks = (ctx: Context, first: ShownWebhook | undefined) =>
  countNewestFirst(ctx.db, webhooks, { inList: inList(ctx) }, first);

const inList = (ctx: Context) => eq(webhooks.companyId, ctx.companyId);
