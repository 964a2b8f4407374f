import { type SQL, sql } from "drizzle-orm";

import type { mailLog } from "#drizzle/schema/index.ts";
import { readRange } from "#server/core/api-keys/read-range.ts";
import { containing } from "#server/core/paging/containing.ts";
import { Refusal } from "#server/core/refusals.ts";
import type { Db } from "#server/db/client.ts";

type MailLogEntry = Omit<typeof mailLog.$inferSelect, "id"> & {
  id: string;
  companyName: string | null;
};

export type MailLogFilter = {
  /** Part of the sender's or recipient's address, the reply or the message's id. */
  search?: string | undefined;
  kind?: MailLogEntry["kind"] | undefined;
  /** An address or a network (CIDR). */
  client?: string | undefined;
  companyId?: string | undefined;
};

/** Entries looked at by one statement, and statements for one page. */
const STEP = 20_000;
const STEPS_MAX = 25;

export type MailLogPage = {
  rows: MailLogEntry[];
  /** Where a page `before` it goes on; null at the end. */
  next: string | null;
  /** There may be more that fit, but the search has looked at enough for now. */
  isCutShort: boolean;
};

/**
 * The newest entries, read along the key. However rarely one fits, half a million are looked at at most:
 * then the page has what was found, and goes on from there.
 *
 * @param before the `next` of the page before
 * @throws Refusal `invalid` for what is no place, or no address or network
 */
export async function listMailLog(
  db: Db,
  filter: MailLogFilter,
  { limit, before }: { limit: number; before: string | null },
): Promise<MailLogPage> {
  if (before !== null && !/^\d{1,18}$/.test(before))
    throw new Refusal("invalid", "before: must be the place that a page named");
  const fits = fitsOf(filter);
  const rows: MailLogEntry[] = [];
  let from = before;
  for (let step = 0; step < STEPS_MAX; step++) {
    const upTo = await endOfStep(db, from);
    rows.push(...(await readStep(db, { from, upTo, fits, limit: limit + 1 - rows.length })));
    if (rows.length > limit) return { ...cut(rows, limit), isCutShort: false };
    if (upTo === null) return { rows, next: null, isCutShort: false };
    from = upTo;
  }
  return { rows, next: from, isCutShort: true };
}

function cut(rows: MailLogEntry[], limit: number) {
  const shown = rows.slice(0, limit);
  return { rows: shown, next: shown.at(-1)!.id };
}

const olderThan = (from: string | null): SQL =>
  from === null ? sql`true` : sql`l.id < ${from}::bigint`;

/** The last entry of a step; null when what is left is less than one. */
async function endOfStep(db: Db, from: string | null): Promise<string | null> {
  const [row] = await db.execute<{ id: string }>(sql`
    select id::text as id from mail_log l where ${olderThan(from)}
    order by l.id desc offset ${STEP - 1} limit 1`);
  return row?.id ?? null;
}

type Step = { from: string | null; upTo: string | null; fits: SQL; limit: number };

function readStep(db: Db, { from, upTo, fits, limit }: Step): Promise<MailLogEntry[]> {
  const end = upTo === null ? sql`true` : sql`l.id >= ${upTo}::bigint`;
  return db.execute<MailLogEntry>(sql`
    select l.id::text as id, l.kind, l.company_id as "companyId", c.name as "companyName",
      host(l.client_address) as "clientAddress", l.helo, l.sender, l.recipient, l.size,
      l.message_id as "messageId", l.reply, l.created_at as "createdAt"
    from mail_log l left join companies c on c.id = l.company_id
    where ${olderThan(from)} and ${end} and ${fits}
    order by l.id desc limit ${limit}`);
}

function fitsOf({ search, kind, client, companyId }: MailLogFilter): SQL {
  const parts: SQL[] = [sql`true`];
  if (kind) parts.push(sql`l.kind = ${kind}`);
  if (companyId) parts.push(sql`l.company_id = ${companyId}::uuid`);
  if (client) parts.push(sql`l.client_address <<= ${readNetwork(client)}::inet`);
  if (search)
    parts.push(sql`lower(coalesce(l.sender, '') || ' ' || coalesce(l.recipient, '') || ' ' ||
      l.reply || ' ' || coalesce(l.message_id, '')) like ${containing(search)}`);
  return sql.join(parts, sql` and `);
}

function readNetwork(text: string): string {
  const network = readRange(text.trim());
  if (network) return network;
  throw new Refusal("invalid", "client: must be an IP address or a network such as 192.0.2.0/24");
}
