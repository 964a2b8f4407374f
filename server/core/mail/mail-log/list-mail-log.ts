import { type SQL, sql } from "drizzle-orm";

import type { mailLog } from "#drizzle/schema/index.ts";
import { readRange } from "#server/core/access/api-keys/ip-ranges.ts";
import { containsPattern } from "#server/core/shared/paging/containing.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { joinCompany, logSource } from "./internal/log-source.ts";
import { BOUNDS, type LogPage, mergeNewest } from "./internal/merge-newest.ts";
import { isBefore, isSince, type Period } from "./internal/period.ts";
import type { LogPosition } from "./internal/log-position.ts";

type MailLogEntry = Omit<typeof mailLog.$inferSelect, "id" | "createdAt"> &
  LogPosition & { companyName: string | null };

export type MailLogFilter = Period & {
  /** Substring of the sender, recipient, EHLO name, reply or Message-ID. */
  search?: string | undefined;
  kind?: MailLogEntry["kind"] | undefined;
  /** An address or a network (CIDR). */
  client?: string | undefined;
  companyId?: string | undefined;
};

/**
 * A page of the log of incoming mail, newest first. Can be cut short, even empty (see merge-newest.ts).
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
  const entries = logSource<MailLogEntry>(db, {
    from: sql`mail_log l ${joinCompany(sql`l.company_id`)}`,
    table: sql`mail_log l`,
    at: sql`l.created_at`,
    order: "moment",
    columns: sql`l.kind, l.company_id as "companyId", c.name as "companyName",
      host(l.client_address) as "clientAddress", l.helo, l.sender, l.recipient, l.size,
      l.message_id as "messageId", l.reply`,
    within: isBefore(sql`l.created_at`, filter.to),
    since: filter.from,
    fits: [...isSince(sql`l.created_at`, filter.from), ...filterConditions(filter)],
  });
  return mergeNewest({ entries }, page, bounds);
}

function filterConditions({ search, kind, client, companyId }: MailLogFilter): SQL[] {
  const parts: SQL[] = [];
  if (kind) parts.push(sql`l.kind = ${kind}`);
  if (companyId) parts.push(sql`l.company_id = ${companyId}::uuid`);
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
