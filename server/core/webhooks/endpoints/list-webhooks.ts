import { and, eq } from "drizzle-orm";

import { webhooks } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { inMode } from "#server/core/shared/mode.ts";
import { type Page, type PageRequest, toPage } from "#server/core/shared/paging/page.ts";
import {
  countSorted,
  pageSorted,
  type Sort,
  sortOrders,
} from "#server/core/shared/paging/sorted.ts";

import { type ShownWebhook, shownWebhook } from "./shown-webhook.ts";

export type WebhookSort = Sort<"endpoint" | "created">;

const orderOf = sortOrders({ endpoint: webhooks.endpoint, created: webhooks.createdAt });
const NEWEST_FIRST: WebhookSort = { by: "created", direction: "descending" };

/**
 * Returns a page of the company's webhooks.
 *
 * @throws Refusal `invalid` for a cursor that is not a webhook of the company
 */
export async function listWebhooks(
  ctx: Context,
  page: PageRequest,
  sort = NEWEST_FIRST,
): Promise<Page<ShownWebhook>> {
  const list = pageSorted(ctx.db, webhooks, orderOf(sort), inList(ctx), page);
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
export const countWebhooks = (ctx: Context, sort: WebhookSort, first: ShownWebhook | undefined) =>
  countSorted(ctx.db, webhooks, orderOf(sort), { inList: inList(ctx) }, first);

const inList = (ctx: Context) =>
  and(eq(webhooks.companyId, ctx.companyId), inMode(ctx, webhooks.isTest))!;
