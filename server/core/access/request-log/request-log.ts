import { and, desc, eq, gte, lt, sql, type SQL } from "drizzle-orm";
import { v7 } from "uuid";

import {
  companies,
  requestBodies,
  requestLog,
  type RequestLogEntry,
} from "#drizzle/schema/index.ts";
import { currentSettings, readSettings } from "#server/core/platform/settings/read-settings.ts";
import { BatchWriter } from "#server/core/shared/batch-writer.ts";
import { createTtlCache } from "#server/core/shared/caches.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  containsPattern,
  type DirectedPageRequest,
  type Page,
  pageNewestFirst,
  type PageRequest,
} from "#server/core/shared/paging/pages.ts";
import { searchByTime, type SearchedPage } from "#server/core/shared/paging/search-by-time.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { storableText } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan, writeAroundBadRows } from "#server/db/batches.ts";
import { createLogger } from "#server/processes/logger.ts";

import { formatMasked } from "./masked-body.ts";

type RecordedRequest = Omit<RequestLogEntry, "id" | "createdAt"> & {
  /** Masked (`maskJson`, `maskText`), with the size in bytes. Null to log the request without its body. */
  body: { masked: unknown; size: number } | null;
};

type BufferedRequest = RecordedRequest & { id: string; createdAt: string };

const ENDPOINT_MAX = 1_000;
const MESSAGE_MAX = 1_000;
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
  if (entry.error === "ip_not_allowed" && isFlooding(entry.apiKeyId)) return;
  database = db;
  writer.add([
    {
      ...entry,
      id: v7(),
      createdAt: new Date().toISOString(),
      endpoint: storable(entry.endpoint, ENDPOINT_MAX),
      message: entry.message && storable(entry.message, MESSAGE_MAX),
      userAgent: entry.userAgent && storable(entry.userAgent, USER_AGENT_MAX),
    },
  ]);
}

/** Blocked requests logged per key and minute: no rate limit counts them. */
const BLOCKED_MAX = 60;

const blocked = createTtlCache<number>({ max: 10_000, ttlMs: 60_000 });

function isFlooding(keyId: string | null): boolean {
  const count = (blocked.get(keyId ?? "") ?? 0) + 1;
  blocked.set(keyId ?? "", count, { noUpdateTTL: true });
  return count > BLOCKED_MAX;
}

/** Writes all buffered entries. Those that can't be written stay in the buffer. */
export const flushRequestLog = (): Promise<void> => writer.flush();

async function writeRows(rows: BufferedRequest[]): Promise<void> {
  const refused = await writeAroundBadRows(rows, insert);
  if (refused.length > 0)
    logger.warn(
      { refused: refused.length },
      "Postgres rejected request log entries; they were dropped",
    );
  await writeBodies(rows).catch((err: unknown) =>
    logger.warn({ err }, "failed to log the bodies of API requests"),
  );
}

/** The join drops entries of companies that were deleted meanwhile. */
async function insert(rows: BufferedRequest[]): Promise<void> {
  const entries = rows.map((row) => ({ ...row, body: undefined }));
  await database.execute(sql`
    insert into request_log
      (id, company_id, method, endpoint, response_status, error, message, duration_ms,
        client_address, user_agent, api_key_id, created_at)
    select e.id, e."companyId", method, endpoint, "responseStatus", error, message, "durationMs",
      "clientAddress", "userAgent", "apiKeyId", "createdAt"
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) e(
      id uuid, "companyId" uuid, method text, endpoint text, "responseStatus" smallint, error text,
      message text, "durationMs" real, "clientAddress" text, "userAgent" text, "apiKeyId" uuid,
      "createdAt" timestamptz)
    join companies c on c.id = e."companyId"`);
}

/** Bodies kept per API key. */
const BODIES_MAX = 100;
const BLOCKED_COUNT_MAX = 1_000;

/** Keeps the newest bodies of each key. At a high rate, most bodies of a batch are never formatted or written. */
async function writeBodies(rows: BufferedRequest[]): Promise<void> {
  const ofKeys = Map.groupBy(
    rows.filter(({ body, apiKeyId }) => body && apiKeyId),
    ({ apiKeyId }) => apiKeyId!,
  );
  if (ofKeys.size === 0) return;
  if ((await currentSettings(database)).log_request_bodies === "off") return;
  const bodies = [...ofKeys.values()]
    .flatMap((ofKey) => ofKey.slice(-BODIES_MAX))
    .map(({ id, companyId, apiKeyId, createdAt, body }) => {
      const text = formatMasked(body!.masked);
      return {
        id,
        companyId,
        apiKeyId,
        createdAt,
        body: storable(text, text.length),
        size: body!.size,
      };
    });
  await database.execute(sql`
    insert into request_bodies (company_id, api_key_id, request_id, body, size, created_at)
    select e."companyId", "apiKeyId", e.id, body, size, "createdAt"
    from jsonb_to_recordset(${JSON.stringify(bodies)}::jsonb) e(
      id uuid, "companyId" uuid, "apiKeyId" uuid, body text, size int, "createdAt" timestamptz)
    join companies c on c.id = e."companyId" and c.logs_request_bodies`);
  await database.execute(sql`
    delete from request_bodies b using jsonb_array_elements_text(${JSON.stringify([...ofKeys.keys()])}::jsonb) k
    where b.api_key_id = k::uuid and b.request_id < (
      select request_id from request_bodies
      where api_key_id = k::uuid order by request_id desc offset ${BODIES_MAX - 1} limit 1)`);
}

const storable = (text: string, length: number) => storableText(text, length, "\ufffd");

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
  /** Part of the error's name or message, case-insensitive. */
  error?: string;
  /** Prefix of the client's IP address. */
  address?: string;
  /** Least duration in milliseconds. */
  slowerThan?: number;
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
): Promise<SearchedPage<RequestLogEntry>> {
  await flushRequestLog();
  return searchByTime(ctx.db, requestLog, partsOf(ctx, filters), page);
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

function matching(filters: RequestFilters) {
  const { statusClass, status, method, endpoint, apiKeyId, userAgent, ...others } = filters;
  const { error, address, slowerThan } = others;
  const { responseStatus } = requestLog;
  const conditions: (SQL | false | undefined)[] = [
    statusClass !== undefined && sql`${responseStatus} / 100 = ${statusClass}::int`,
    status !== undefined && eq(responseStatus, status),
    method !== undefined && eq(requestLog.method, method),
    endpoint !== undefined && sql`starts_with(${requestLog.endpoint}, ${storableText(endpoint)})`,
    apiKeyId !== undefined && eq(requestLog.apiKeyId, apiKeyId),
    userAgent !== undefined &&
      sql`lower(${requestLog.userAgent}) like ${containsPattern(userAgent)}`,
    error !== undefined &&
      sql`lower(${requestLog.error} || ' ' || coalesce(${requestLog.message}, '')) like ${containsPattern(error)}`,
    address !== undefined &&
      sql`starts_with(${requestLog.clientAddress}, ${storableText(address)})`,
    slowerThan !== undefined && gte(requestLog.durationMs, slowerThan),
  ];
  return and(...conditions.filter((condition) => condition !== false));
}

/** The API lists requests whose key was accepted. The console also shows those that an allow-list blocked. */
const inApi = (ctx: Context) =>
  and(
    eq(requestLog.companyId, ctx.companyId),
    sql`${requestLog.error} is distinct from 'ip_not_allowed'`,
  )!;

/**
 * A page of the company's API requests for the API, newest first. Requests that other processes answered appear after
 * a moment.
 *
 * @throws Refusal `invalid` for a cursor that isn't a request of the company
 */
export async function listRequests(
  ctx: Context,
  page: PageRequest,
): Promise<Page<RequestLogEntry>> {
  const list = pageNewestFirst(ctx.db, requestLog, inApi(ctx), page);
  await flushRequestLog();
  return list.read(ctx.db.select().from(requestLog));
}

/**
 * A request of the company.
 *
 * @param isInApi whether requests that an allow-list blocked don't count
 * @throws Refusal `not_found`
 */
export async function getRequest(
  ctx: Context,
  id: string,
  { isInApi = false } = {},
): Promise<RequestLogEntry> {
  const inList = isInApi ? inApi(ctx) : eq(requestLog.companyId, ctx.companyId);
  const [found] = await ctx.db
    .select()
    .from(requestLog)
    .where(and(eq(requestLog.id, id), inList));
  if (!found) throw new Refusal("not_found", "Log not found");
  return found;
}

/** Whether bodies are logged, or who turned that off. */
type BodyLogging = "on" | "off_by_company" | "off_by_operator";

/** The masked body of a request, if it is stored, and whether bodies are being stored. */
export async function getRequestBody(
  ctx: Context,
  requestId: string,
): Promise<{ body: { text: string; size: number } | null; logging: BodyLogging }> {
  const { log_request_bodies: setting } = await readSettings(ctx.db);
  const [found] = await ctx.db
    .select({
      isOn: companies.logsRequestBodies,
      text: requestBodies.body,
      size: requestBodies.size,
    })
    .from(companies)
    .leftJoin(
      requestBodies,
      and(eq(requestBodies.companyId, companies.id), eq(requestBodies.requestId, requestId)),
    )
    .where(eq(companies.id, ctx.companyId));
  const { isOn = true, text = null, size = null } = found ?? {};
  return {
    body: text === null || size === null ? null : { text, size },
    logging: setting === "off" ? "off_by_operator" : isOn ? "on" : "off_by_company",
  };
}

/** The number of a key's logged requests that an allow-list blocked, up to a thousand, and the last one. */
export async function getBlockedRequests(
  ctx: Context,
  keyId: string,
): Promise<{ count: number; isCut: boolean; lastAt: string; address: string | null } | null> {
  const newest = await ctx.db
    .select({ lastAt: requestLog.createdAt, address: requestLog.clientAddress })
    .from(requestLog)
    .where(
      and(
        eq(requestLog.apiKeyId, keyId),
        eq(requestLog.companyId, ctx.companyId),
        sql`${requestLog.error} = 'ip_not_allowed'`,
      ),
    )
    .orderBy(desc(requestLog.createdAt))
    .limit(BLOCKED_COUNT_MAX);
  const count = newest.length;
  return newest[0] ? { count, isCut: count === BLOCKED_COUNT_MAX, ...newest[0] } : null;
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

/** Deletes request bodies older than `days`, and all of them while the server's setting is off. */
export async function deleteOldRequestBodies(db: Db, days: number): Promise<number> {
  const isOff = (await readSettings(db)).log_request_bodies === "off";
  const where = isOff ? sql`true` : isOlderThan(requestBodies.createdAt, days);
  return deleteInBatches(db, requestBodies, { where });
}
