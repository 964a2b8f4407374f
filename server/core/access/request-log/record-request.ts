import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import type { RequestLogEntry } from "#drizzle/schema/index.ts";
import { BatchWriter } from "#server/core/shared/batch-writer.ts";
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

let database: Db;
const writer = new BatchWriter<BufferedRequest>({
  write: writeRows,
  ...{
    batchMax: ROWS_MAX,
    flushAt: ROWS_MAX,
    flushAfterMs: WRITE_AFTER_MS,
    waitingMax: BUFFER_MAX,
  },
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
      id: uuidv7(),
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
