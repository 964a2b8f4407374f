import { and, desc, eq, inArray, isNotNull, sql } from "drizzle-orm";

import {
  type Domain,
  type DomainRecordKind,
  mailboxes,
  mailboxUsage,
} from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { isLive } from "#server/core/domains/domains/require-domain.ts";
import {
  NEARLY_FULL,
  type ShownMailbox,
  viewableMailboxes,
} from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import type { Context } from "#server/core/shared/context.ts";

export type CompanyQueue = {
  /** Emails with pending deliveries, as the list of emails shows them: "queued", "sent" or "delayed". */
  emails: number;
  /** The age of the oldest email or message; null if none is queued. */
  oldestSeconds: number | null;
  /** Only a part of the queue was scanned; there may be more. */
  isCut: boolean;
};

// Per queue. Takes about 100 ms, however long the queue is.
const ROWS_SCANNED_MAX = 5_000;

/** The company's queued emails, without test emails, and messages. */
export async function companyQueue({ db, companyId }: Context): Promise<CompanyQueue> {
  const [row] = await db.execute<CompanyQueue>(sql`
    with emailed as (
      select email_id, created_at from outbox where lease_until is null
      order by next_attempt_at, id limit ${ROWS_SCANNED_MAX}
    ), mailed as (
      select message_id, created_at from message_recipients
      where state = 'queued' and lease_until is null
      order by next_attempt_at, id limit ${ROWS_SCANNED_MAX}
    ), waiting as (
      select q.created_at, e.id as email_id, e.last_event from emailed q
      join emails e on e.id = q.email_id
      where e.company_id = ${companyId} and not e.is_test
      union all
      select q.created_at, null, null from mailed q join messages m on m.id = q.message_id
      where m.company_id = ${companyId}
    )
    select count(distinct email_id) filter (
        where last_event in ('queued', 'sent', 'delivery_delayed'))::int as emails,
      extract(epoch from statement_timestamp() - min(created_at))::float8 as "oldestSeconds",
      greatest((select count(*) from emailed), (select count(*) from mailed)) >= ${ROWS_SCANNED_MAX}
        as "isCut"
    from waiting`);
  return row!;
}

export type TroubledDomain = {
  id: string;
  name: string;
  status: Domain["status"];
  /** Records that the last DNS check didn't find. */
  missing: DomainRecordKind[];
};

const DOMAINS_MAX = 1_000;

/**
 * Domains that can't send or lack records for sending. Missing records for receiving count only if they were
 * published before.
 */
export async function troubledDomains({ db, companyId }: Context): Promise<TroubledDomain[]> {
  return db.execute<TroubledDomain>(sql`
    select domains.id, domains.name, domains.status, missing.records as missing
    from domains cross join lateral (
      select coalesce(array_agg(f.record::text order by f.record), '{}') as records
      from domain_findings f
      where f.domain_id = domains.id and not f.is_verified
        and (f.record in ('ownership', 'spf', 'dkim', 'dmarc') or f.missing_since is not null)
    ) missing
    where domains.company_id = ${companyId} and ${isLive}
      and (domains.status <> 'verified' or cardinality(missing.records) > 0)
    order by domains.status = 'verified', domains.created_at desc limit ${DOMAINS_MAX}`);
}

const MB = 1024 * 1024;
const MAILBOXES_MAX = 1_000;

/** Mailboxes in the same state, as filtering the list of mailboxes finds them. */
export type FullMailboxes = { isFull: boolean; count: number; mailboxes: MailboxUsage[] };

export type MailboxUsage = Pick<ShownMailbox, "address" | "usedBytes" | "quotaMb">;

/** Full and nearly full mailboxes that the admin can see, fullest first: all of them counted, up to 1,000 listed. */
export async function listFullMailboxes(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
): Promise<FullMailboxes[]> {
  const share = sql`${mailboxUsage.usedBytes} / (${mailboxes.quotaMb} * ${MB}::float8)`;
  const isFull = sql<boolean>`${share} >= 1`;
  const rows = await ctx.db
    .select({
      address: mailboxes.address,
      usedBytes: mailboxUsage.usedBytes,
      quotaMb: mailboxes.quotaMb,
      isFull: isFull,
      count: sql<number>`count(*) over (partition by ${isFull})::int`,
    })
    .from(mailboxes)
    .innerJoin(mailboxUsage, eq(mailboxUsage.address, mailboxes.address))
    .where(
      and(
        eq(mailboxes.companyId, ctx.companyId),
        viewableMailboxes(callerPrivileges),
        sql`${mailboxes.quotaMb} > 0 and ${share} >= ${NEARLY_FULL}`,
      ),
    )
    .orderBy(desc(share), mailboxes.address)
    .limit(MAILBOXES_MAX);
  return [true, false].map((wanted) => {
    const found = rows.filter(({ isFull }) => isFull === wanted);
    return { isFull: wanted, count: found[0]?.count ?? 0, mailboxes: found };
  });
}

/** Addresses whose sending is on hold and that the admin can release, up to 1,000. */
export async function mailboxesOnHold(
  ctx: Context,
  { privileges, units }: HeldPrivileges,
): Promise<string[]> {
  const rows = await ctx.db
    .select({ address: mailboxes.address })
    .from(mailboxes)
    .where(
      and(
        eq(mailboxes.companyId, ctx.companyId),
        isNotNull(mailboxes.sendingHeldAt),
        privileges.has("reset_user_passwords")
          ? undefined
          : inArray(mailboxes.orgUnitId, [...(units.get("reset_user_passwords") ?? [])]),
      ),
    )
    .limit(MAILBOXES_MAX);
  return rows.map(({ address }) => address);
}

export type TroubledWebhook = {
  id: string;
  endpoint: string;
  /** Consecutive failed attempts. */
  failures: number;
  /** Disabled because of its failures. */
  isDisabled: boolean;
};

/** Webhooks that fail or were disabled for failing. Excludes those that an admin disabled. */
export async function troubledWebhooks({ db, companyId }: Context): Promise<TroubledWebhook[]> {
  return db.execute<TroubledWebhook>(sql`
    select id, endpoint, failures, disabled_for_failures_at is not null as "isDisabled"
    from webhooks
    where company_id = ${companyId}
      and (disabled_for_failures_at is not null or (status = 'enabled' and failures > 0))
    order by failures desc, id`);
}
