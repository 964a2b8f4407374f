import { and, desc, eq, gte, lt, sql, type SQL } from "drizzle-orm";
import { v7 } from "uuid";

import { requestLog, type RequestLogEntry } from "#drizzle/schema/index.ts";
import { BatchWriter } from "#server/core/shared/batch-writer.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  byTime,
  containsPattern,
  countSorted,
  type DirectedPageRequest,
  type Direction,
  type ListCounts,
  type Page,
  pageNewestFirst,
  type PageRequest,
  toPage,
} from "#server/core/shared/paging/pages.ts";
import { searchByTime, type SearchedTo } from "#server/core/shared/paging/search-by-time.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan, writeAroundBadRows } from "#server/db/batches.ts";
import { createLogger } from "#server/processes/logger.ts";

type RecordedRequest = Omit<RequestLogEntry, "id" | "createdAt">;

type BufferedRequest = RecordedRequest & { id: string; createdAt: string };

const ENDPOINT_MAX = 1_000;
const USER_AGENT_MAX = 300;

const WRITE_AFTER_MS = 100;
const RETRY_AFTER_MS = 1_000;
const ROWS_MAX = 200;

/** Entries buffered while the database is unavailable. */
const BUFFER_MAX = 20_000;

const logger = createLogger("web");

let database: Db;

const writer = new BatchWriter<BufferedRequest>({
  write: writeRows,

  batchMax: ROWS_MAX,
  flushAt: ROWS_MAX,
  flushAfterMs: WRITE_AFTER_MS,
  waitingMax: BUFFER_MAX,
  retryMs: () => RETRY_AFTER_MS,
  onFailing: (err) =>
    logger.warn({ err }, "failed to write the request log; keeping its entries in memory"),
  onDropping: () => logger.warn("the request log's buffer is full; dropping the oldest entries"),
  ref: false,
});

/**
 * Adds a request to its company's log. Entries are buffered and written within a moment; if the database is
 * unavailable, the newest 20,000 are kept.
 */
export function recordRequest(db: Db, entry: RecordedRequest): void {
  database = db;
  writer.add([
    {
      ...entry,
      id: v7(),
      createdAt: new Date().toISOString(),
      endpoint: storable(entry.endpoint, ENDPOINT_MAX),
      userAgent: entry.userAgent && storable(entry.userAgent, USER_AGENT_MAX),
    },
  ]);
}

/** Writes all buffered entries. Those that can't be written stay in the buffer. */
export function flushRequestLog(): Promise<void> {
  return writer.flush();
}

async function writeRows(rows: BufferedRequest[]): Promise<void> {
  const refused = await writeAroundBadRows(rows, insert);
  if (refused.length > 0)
    logger.warn(
      { refused: refused.length },
      "Postgres rejected request log entries; they were dropped",
    );
}

/** The join drops entries of companies that were deleted meanwhile. */
async function insert(rows: BufferedRequest[]): Promise<void> {
  await database.execute(sql`
    insert into request_log
      (id, company_id, method, endpoint, response_status, error, user_agent, api_key_id, created_at)
    select e.id, e."companyId", method, endpoint, "responseStatus", error, "userAgent",
      "apiKeyId", "createdAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) e(
      id uuid, "companyId" uuid, method text, endpoint text, "responseStatus" smallint, error text,
      "userAgent" text, "apiKeyId" uuid, "createdAt" timestamptz)
    join companies c on c.id = e."companyId"`);
}

/** Postgres rejects NUL and lone surrogates. */
function storable(text: string, length: number): string {
  return text.slice(0, length).replaceAll("\0", "\ufffd").toWellFormed();
}

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
export function countLoggedRequests(
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

/** @throws Refusal `not_found` */
export async function getRequest(ctx: Context, id: string): Promise<RequestLogEntry> {
  const [found] = await ctx.db
    .select()
    .from(requestLog)
    .where(and(eq(requestLog.id, id), eq(requestLog.companyId, ctx.companyId)));
  if (!found) throw new Refusal("not_found", "Log not found");
  return found;
}

/** The id of the company's newest stored request, or null. */
export async function getNewestRequestId(ctx: Context): Promise<string | null> {
  const [newest] = await ctx.db
    .select({ id: requestLog.id })
    .from(requestLog)
    .where(eq(requestLog.companyId, ctx.companyId))
    .orderBy(desc(requestLog.createdAt), desc(requestLog.id))
    .limit(1);
  return newest?.id ?? null;
}

/** Deletes request log entries older than `days`. @returns the number of entries deleted */
export function deleteOldRequests(db: Db, days: number): Promise<number> {
  const { createdAt } = requestLog;
  return deleteInBatches(db, requestLog, {
    where: isOlderThan(createdAt, days),
    oldestFirst: createdAt,
  });
}
