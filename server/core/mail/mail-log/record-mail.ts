import { sql } from "drizzle-orm";

import type { mailLog } from "#drizzle/schema/index.ts";
import { BatchWriter } from "#server/core/shared/batch-writer.ts";
import type { Db } from "#server/db/client.ts";
import { writeAroundBadRows } from "#server/db/write-around-bad-rows.ts";
import { createLogger } from "#server/processes/logger.ts";

/** The reply to one recipient, or to a client that didn't get that far. */
export type MailLogRecord = Omit<typeof mailLog.$inferSelect, "id" | "createdAt">;
type Waiting = MailLogRecord & { createdAt: string };

const WRITE_AFTER_MS = 200;
const RETRY_MS = 2_000;
const ROWS_MAX = 500;
// The limit while the database is unreachable.
const WAITING_MAX = 10_000;
const TEXT_MAX = 500;

const logger = createLogger("mail");

let database: Db;
const writer = new BatchWriter<Waiting>({
  write: writeRows,
  ...{
    batchMax: ROWS_MAX,
    flushAt: ROWS_MAX,
    flushAfterMs: WRITE_AFTER_MS,
    waitingMax: WAITING_MAX,
  },
  retryMs: () => RETRY_MS,
  onFailing: (err) => logger.warn({ err }, "could not write the mail log; retrying"),
  onDropping: () => logger.warn("the mail log's buffer is full; dropping the oldest entries"),
  ref: false,
});

/**
 * Records a reply of an SMTP listener. Written in batches within a moment, without delaying or failing the caller.
 * While the database is unreachable, the newest 10,000 entries wait.
 */
export function recordMail(db: Db, note: MailLogRecord): void {
  database = db;
  writer.add([
    {
      ...note,
      helo: truncate(note.helo),
      sender: truncate(note.sender),
      recipient: truncate(note.recipient),
      messageId: truncate(note.messageId),
      reply: truncate(note.reply) ?? "",
      createdAt: new Date().toISOString(),
    },
  ]);
}

/** Writes all waiting entries. Entries that can't be written keep waiting. */
export function flushMailLog(): Promise<void> {
  return writer.flush();
}

async function writeRows(rows: Waiting[]): Promise<void> {
  const refused = await writeAroundBadRows(rows, insert);
  if (refused.length > 0)
    logger.warn(
      { refused: refused.length },
      "Postgres rejected mail log entries; they were dropped",
    );
}

async function insert(rows: Waiting[]): Promise<void> {
  await database.execute(sql`
    insert into mail_log
      (kind, company_id, client_address, helo, sender, recipient, size, message_id, reply, created_at)
    select kind, "companyId", "clientAddress"::inet, helo, sender, recipient, size, "messageId", reply,
      "createdAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) e(
      kind mail_log_kind, "companyId" uuid, "clientAddress" text, helo text, sender text,
      recipient text, size integer, "messageId" text, reply text, "createdAt" timestamptz)`);
}

/** Also replaces NUL, which Postgres rejects. */
function truncate(text: string | null): string | null {
  return text && text.slice(0, TEXT_MAX).replaceAll("\0", "\ufffd").toWellFormed();
}
