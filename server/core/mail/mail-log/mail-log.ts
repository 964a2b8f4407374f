import { type SQL, sql } from "drizzle-orm";

import { mailLog } from "#drizzle/schema/index.ts";
import { readRange } from "#server/core/access/api-keys/ip-ranges.ts";
import { BatchWriter } from "#server/core/shared/batch-writer.ts";
import { containsPattern } from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { storableText } from "#server/core/shared/text.ts";
import { deleteInBatches, isOlderThan, writeAroundBadRows } from "#server/db/batches.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import {
  BOUNDS,
  isBefore,
  isSince,
  joinCompany,
  type LogPage,
  type LogPosition,
  logSource,
  mergeNewest,
  type TimeRange,
} from "./internal/log-pages.ts";
import { isOwnIncoming, type MailScope } from "./internal/own-mail.ts";

type MailLogEntry = Omit<typeof mailLog.$inferSelect, "id" | "createdAt"> &
  LogPosition & { companyName: string | null };

export type MailLogFilter = TimeRange & {
  /** Substring of the sender, recipient, EHLO name, reply or Message-ID. */
  search?: string | undefined;
  kind?: MailLogEntry["kind"] | undefined;
  /** An address or a network (CIDR). */
  client?: string | undefined;
  companyId?: string | undefined;
  /** For admins of a company; operators see all. */
  scope?: MailScope | undefined;
};

/**
 * A page of the log of incoming mail, newest first. Can be cut short, even empty (see log-pages.ts).
 *
 * @param before `next` of the previous page
 * @throws Refusal `invalid` for an invalid cursor, address or network
 */
export async function listMailLog(
  db: Db,
  filter: MailLogFilter,
  page: { limit: number; before: string | null },
  bounds = BOUNDS,
): Promise<LogPage<MailLogEntry>> {
  const companyId = filter.companyId ?? filter.scope?.companyId;
  const entries = logSource<MailLogEntry>(db, {
    from: sql`mail_log l ${joinCompany(sql`l.company_id`)}`,
    table: sql`mail_log l`,
    at: sql`l.created_at`,
    order: "moment",
    columns: sql`l.kind, l.company_id as "companyId", c.name as "companyName",
      host(l.client_address) as "clientAddress", l.helo, l.sender, l.recipient, l.size,
      l.message_id as "messageId", l.reply`,
    within: [
      ...(companyId ? [sql`l.company_id = ${companyId}::uuid`] : []),
      ...isBefore(sql`l.created_at`, filter.to),
    ],
    since: filter.from,
    fits: [...isSince(sql`l.created_at`, filter.from), ...filterConditions(filter)],
  });
  return mergeNewest({ entries }, page, bounds);
}

function filterConditions({ search, kind, client, scope }: MailLogFilter): SQL[] {
  const parts: SQL[] = scope ? isOwnIncoming(scope) : [];
  if (kind) parts.push(sql`l.kind = ${kind}`);
  if (client) parts.push(sql`l.client_address <<= ${readNetwork(client)}::inet`);
  if (search)
    parts.push(sql`lower(concat_ws(' ', l.sender, l.recipient, l.helo, l.reply, l.message_id))
      like ${containsPattern(search)}`);
  return parts;
}

function readNetwork(text: string): string {
  const network = readRange(text.trim());
  if (network) return network;
  throw new Refusal("invalid", "client: must be an IP address or a network such as 192.0.2.0/24");
}

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

  batchMax: ROWS_MAX,
  flushAt: ROWS_MAX,
  flushAfterMs: WRITE_AFTER_MS,
  waitingMax: WAITING_MAX,
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
export const flushMailLog = (): Promise<void> => writer.flush();

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

const truncate = (text: string | null) => text && storableText(text, TEXT_MAX, "\ufffd");

/** Deletes entries older than `days`. @returns the number of entries deleted */
export function deleteOldMailLog(db: Db, days: number): Promise<number> {
  const { createdAt } = mailLog;
  return deleteInBatches(db, mailLog, {
    where: isOlderThan(createdAt, days),
    oldestFirst: createdAt,
  });
}
