import { eq } from "drizzle-orm";

import { requestLog, type RequestLogEntry } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { pageNewestFirst } from "#server/core/shared/paging/newest-first.ts";
import { type Page, type PageRequest, toPage } from "#server/core/shared/paging/page.ts";

import { flushRequestLog } from "./record-request.ts";

/**
 * A page of the company's API requests, newest first. Requests that other processes answered appear after a
 * moment.
 *
 * @throws Refusal `invalid` for a cursor that isn't a request of the company
 */
export async function listRequests(
  ctx: Context,
  page: PageRequest,
): Promise<Page<RequestLogEntry>> {
  const list = pageNewestFirst(ctx.db, requestLog, eq(requestLog.companyId, ctx.companyId), page);
  await flushRequestLog();
  const rows = await ctx.db
    .select()
    .from(requestLog)
    .where(list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await list.requireCursor();
  return toPage(rows, page);
}
