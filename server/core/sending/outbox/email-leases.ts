import { sql } from "drizzle-orm";

import type { AddressHeaders } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { PLANNED_EACH_TIME } from "#server/db/preparing.ts";

import { fairLease, isSuspect, type LeaseRequest, moveTurn } from "./fair-leases.ts";
import { PRIORITIES } from "./queue-rows.ts";

/** Survives a slow renewal; a dead worker's mail moves on within a minute. */
export const LEASE_SECONDS = 30;

/** A recipient leased to the caller. */
export type LeasedRecipient = {
  /** Id of the outbox row: a bigint as text. */
  rowId: string;
  recipient: string;
  destination: string;
  /** Previous temporary failures. */
  attempt: number;
  /** When an admin last asked to retry it now. */
  retryAskedAt?: string | null;
  /** Its lease has expired twice, so it may have killed the workers. */
  isSuspect?: boolean;
};

/** An email with its leased recipients and everything its message is made of. */
export type LeasedEmail = {
  id: string;
  companyId: string;
  /** Null if the sending domain was deleted. */
  domainId: string | null;
  messageId: string | null;
  subject: string;
  /** When it was queued: the message's Date, the same in every attempt. */
  sentAt: string | null;
  openTracking: boolean;
  clickTracking: boolean;
  /** Value of its tag `campaign`. */
  campaign: string | null;
  /** Approximate octets of bodies and attachments. */
  size: number;
  /** Attachments are read when the message is composed (queue-rows.ts). */
  hasAttachments: boolean;
  /** Accepted together with others. */
  isBatch: boolean;
  isTest: boolean;
  /** Submitted over SMTP: the stored message is loaded when it is sent. */
  hasSource: boolean;
  /** Null if the body is gone; retention prevents that while a recipient waits. */
  body: {
    addressHeaders: AddressHeaders;
    html: string | null;
    text: string | null;
    headers: Record<string, string>;
  } | null;
  recipients: LeasedRecipient[];
};

type LeasedRow = Omit<LeasedEmail, "body"> & {
  lastTurn: string | null;
  addressHeaders: AddressHeaders | null;
  html: string | null;
  text: string | null;
  headers: Record<string, string> | null;
};

/**
 * Leases due recipients to `owner` in one statement: expired leases first, then an equal share for each company, by
 * priority, and the rest of the limit to those due longest. Skips rows that another worker is leasing.
 *
 * Light and heavy emails each stay within their budget, so neither kind blocks the other; the rest stays due.
 *
 * @param limit maximum number of recipients
 * @param busy what to skip
 * @param readsAll finds due emails behind any number of skipped ones; otherwise behind `READ_MAX`, which is faster
 * @param turn shared by the leases of one pump
 */
export async function leaseDueEmails(db: Db, request: LeaseRequest): Promise<LeasedEmail[]> {
  const { owner, limit, turn } = request;
  const { skipped, isWanted, fitting, lastTurn } = fairLease("outbox", request);
  // `= any(array(…))` instead of joins: the planner's statistics for this table may be hours old, and a join
  // planned for an empty outbox compares every row with every row of a full one. statement_timestamp()
  // instead of clock_timestamp(): only a stable function can bound an index scan.
  const rows = await db.execute<LeasedRow>(sql`
    ${sql.raw(PLANNED_EACH_TIME)}
    with recursive ${skipped}, abandoned as materialized (
      select id, email_id, '-infinity'::timestamptz as next_attempt_at, was_abandoned from outbox
      where lease_until < statement_timestamp()
        and ${isWanted}
      order by lease_until limit ${limit}
      for update skip locked
    ), ${fitting}, leased as (
      update outbox set
        lease_until = statement_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
        lease_owner = ${owner}::uuid, was_abandoned = was_abandoned or lease_owner is not null
      where id = any(array(select id from fitting))
      returning id, email_id, recipient, destination, attempt, priority, retry_asked_at
    ), by_email as (
      select email_id, min(place_in_all) as place, min(priority) = ${PRIORITIES.batch} as "isBatch",
        jsonb_agg(jsonb_build_object('rowId', id::text, 'recipient', recipient,
          'destination', destination, 'attempt', attempt, 'retryAskedAt', retry_asked_at, 'isSuspect', ${isSuspect}) order by id) as recipients
      from leased join fitting using (id) group by email_id
    )
    select e.id, e.company_id as "companyId",
      (select id from domains where domains.id = e.domain_id) as "domainId",
      e.message_id as "messageId", e.subject, e.sent_at as "sentAt", by_email.recipients,
      e.open_tracking as "openTracking", e.click_tracking as "clickTracking", e.size,
      by_email."isBatch", e.is_test as "isTest",
      case when e.tags <> '[]'
        then jsonb_path_query_first(e.tags, '$[*] ? (@.name == "campaign").value') #>> '{}' end as campaign,
      -- A subquery with a limit is always answered from the index, email by email.
      coalesce((select true from email_attachments a where a.email_id = e.id limit 1), false)
        as "hasAttachments",
      b.address_headers as "addressHeaders", b.html, b.text, b.headers,
      b.source is not null as "hasSource",
      ${lastTurn}
    from by_email
    join emails e on e.id = by_email.email_id
    left join email_bodies b on b.email_id = e.id
    order by by_email.place, e.id`);
  moveTurn(turn, rows);
  return rows.map(({ addressHeaders, html, text, headers, ...email }) => ({
    ...email,
    body: addressHeaders && { addressHeaders, html, text, headers: headers ?? {} },
  }));
}

/** Tables with leased rows. */
export type LeasedTable = "outbox" | "message_recipients";

/** How long until the next row is due, by its plan or because its lease expires; null if none is planned. Rows on hold aren't. */
export async function msUntilDue(db: Db, queue: LeasedTable): Promise<number | null> {
  const table = sql.identifier(queue);
  const isOpen = queue === "outbox" ? sql`` : sql`and state = 'queued'`;
  const [row] = await db.execute<{ ms: number | null }>(sql`
    select (extract(epoch from least(
      (select min(next_attempt_at) from ${table}
        where lease_until is null and next_attempt_at < 'infinity' ${isOpen}),
      (select min(lease_until) from ${table} where lease_until is not null)
    ) - statement_timestamp()) * 1000)::float8 as ms`);
  return row!.ms;
}

/**
 * Extends the leases of `owner`. Returns the ids of the renewed rows: a missing row has been recorded, is
 * being recorded, or belongs to another worker.
 */
export async function renewLeases(
  db: Db,
  owner: string,
  rowIds: string[],
  queue: LeasedTable = "outbox",
): Promise<string[]> {
  if (rowIds.length === 0) return [];
  const table = sql.identifier(queue);
  // Skip locked rows: waiting for the batch of outcomes that holds them could deadlock.
  const rows = await db.execute<{ id: string }>(sql`
    with held as materialized (
      select id from ${table}
      where id = any(array(select value::bigint from jsonb_array_elements_text(${JSON.stringify(rowIds)}::jsonb)))
        and lease_owner = ${owner}::uuid
      for no key update skip locked
    )
    update ${table} set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    from held where ${table}.id = held.id
    returning ${table}.id::text as id`);
  return rows.map(({ id }) => id);
}

/** Releases rows that `owner` won't deliver; they are due again at once, or when their leases expire. */
export async function releaseLeases(
  db: Db,
  owner: string,
  rowIds: string[],
  { queue = "outbox", isDue = true }: { queue?: LeasedTable; isDue?: boolean } = {},
): Promise<void> {
  if (rowIds.length === 0) return;
  await db.execute(sql`
    update ${sql.identifier(queue)} set ${isDue ? sql`lease_until = null,` : sql``} lease_owner = null
    where id = any(array(select value::bigint from jsonb_array_elements_text(${JSON.stringify(rowIds)}::jsonb)))
      and lease_owner = ${owner}::uuid`);
}
