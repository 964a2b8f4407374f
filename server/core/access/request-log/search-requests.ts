import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";

import { requestLog, type RequestLogEntry } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { containsPattern } from "#server/core/shared/paging/containing.ts";
import type { ListCounts } from "#server/core/shared/paging/count-rows.ts";
import type { Direction, DirectedPageRequest, Page } from "#server/core/shared/paging/page.ts";
import { type SearchedTo, searchByTime } from "#server/core/shared/paging/search-by-time.ts";
import { byTime, countSorted } from "#server/core/shared/paging/sorted.ts";

import { flushRequestLog } from "./record-request.ts";

/** Fields left out don't filter. */
export type RequestFilters = {
  /** First digit of the status: 4 for 400 to 499. */
  statusClass?: number;
  status?: number;
  method?: string;
  /** Prefix of the path. */
  endpoint?: string;
  apiKeyId?: string;
  /** Part of the user agent, case-insensitive. */
  userAgent?: string;
  /** RFC 3339; `from` is inclusive, `to` exclusive. */
  from?: string;
  to?: string;
};

/**
 * A page of the company's API requests that match the filters, newest first. May stop early, as
 * `searchByTime` does. Requests that other processes answered appear after a moment.
 *
 * @throws Refusal `invalid` for a cursor that isn't a request of the company
 */
export async function searchRequests(
  ctx: Context,
  page: DirectedPageRequest,
  filters: RequestFilters,
): Promise<Page<RequestLogEntry> & { searchedTo: SearchedTo | null }> {
  await flushRequestLog();
  return searchByTime(ctx.db, requestLog, partsOf(ctx, filters), page);
}

/** @param first the first request of the page */
export function countRequests(
  ctx: Context,
  filters: RequestFilters,
  first: RequestLogEntry | undefined,
  direction?: Direction,
): Promise<ListCounts | null> {
  return countSorted(
    ctx.db,
    requestLog,
    byTime(requestLog, direction),
    partsOf(ctx, filters),
    first,
  );
}

function partsOf(ctx: Context, filters: RequestFilters) {
  const { from, to } = filters;
  const inList = eq(requestLog.companyId, ctx.companyId);
  const within = and(
    from === undefined ? undefined : gte(requestLog.createdAt, from),
    to === undefined ? undefined : lt(requestLog.createdAt, to),
  );
  return { inList, within, fits: matching(filters) };
}

function matching({ statusClass, status, method, endpoint, apiKeyId, userAgent }: RequestFilters) {
  const { responseStatus } = requestLog;
  const conditions: (SQL | false | undefined)[] = [
    statusClass !== undefined && sql`${responseStatus} / 100 = ${statusClass}::int`,
    status !== undefined && eq(responseStatus, status),
    method !== undefined && eq(requestLog.method, method),
    endpoint !== undefined &&
      sql`starts_with(${requestLog.endpoint}, ${endpoint.replaceAll("\0", "")})`,
    apiKeyId !== undefined && eq(requestLog.apiKeyId, apiKeyId),
    userAgent !== undefined &&
      sql`lower(${requestLog.userAgent}) like ${containsPattern(userAgent)}`,
  ];
  return and(...conditions.filter((condition) => condition !== false));
}
