import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import type { RequestLogEntry } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { writeAroundBadRows } from "#server/db/write-around-bad-rows.ts";
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

const buffer: BufferedRequest[] = [];
let database: Db;
let timer: NodeJS.Timeout | undefined;
let writing: Promise<void> | undefined;
let isFailing = false;
let isDropping = false;

/**
 * Adds a request to its company's log. Entries are buffered and written within a moment; if the database is
 * unavailable, the newest 20,000 are kept.
 */
export function recordRequest(db: Db, entry: RecordedRequest): void {
  database = db;
  buffer.push({
    ...entry,
    id: uuidv7(),
    createdAt: new Date().toISOString(),
    endpoint: storable(entry.endpoint, ENDPOINT_MAX),
    userAgent: entry.userAgent && storable(entry.userAgent, USER_AGENT_MAX),
  });
  dropOldest();
  if (buffer.length >= ROWS_MAX && !isFailing) void write();
  else writeLater();
}

/** Writes all buffered entries. Those that can't be written stay in the buffer. */
export async function flushRequestLog(): Promise<void> {
  await writing;
  if (buffer.length > 0) await write();
}

function writeLater(): void {
  if (!writing)
    timer ??= setTimeout(() => void write(), isFailing ? RETRY_AFTER_MS : WRITE_AFTER_MS).unref();
}

function write(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  writing ??= writeAll().finally(() => {
    writing = undefined;
    if (buffer.length > 0) writeLater();
  });
  return writing;
}

async function writeAll(): Promise<void> {
  while (buffer.length > 0) {
    const rows = buffer.splice(0, ROWS_MAX);
    try {
      const refused = await writeAroundBadRows(rows, insert);
      if (refused.length > 0)
        logger.warn(
          { refused: refused.length },
          "Postgres rejected request log entries; they were dropped",
        );
      isFailing = false;
    } catch (err) {
      if (!isFailing)
        logger.warn({ err }, "failed to write the request log; keeping its entries in memory");
      isFailing = true;
      buffer.unshift(...rows);
      dropOldest();
      return;
    }
  }
  isDropping = false;
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

function dropOldest(): void {
  const surplus = buffer.length - BUFFER_MAX;
  if (surplus <= 0) return;
  buffer.splice(0, surplus);
  if (!isDropping) logger.warn("the request log's buffer is full; dropping the oldest entries");
  isDropping = true;
}

/** Postgres rejects NUL and lone surrogates. */
function storable(text: string, length: number): string {
  return text.slice(0, length).replaceAll("\0", "\ufffd").toWellFormed();
}
