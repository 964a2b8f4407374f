import { and, desc, eq, sql } from "drizzle-orm";

import {
  type Domain,
  type DomainRecordKind,
  mailboxes,
  mailboxUsage,
} from "#drizzle/schema/index.ts";
import type { Privilege } from "#server/core/access/privileges/privileges.ts";
import {
  hasPrivilegeAnywhere,
  type HeldPrivileges,
} from "#server/core/access/privileges/held-privileges.ts";
import { isLive } from "#server/core/domains/domains/is-live.ts";
import { viewableMailboxes } from "#server/core/mailboxes/mailboxes/viewable-mailboxes.ts";
import { readUsage, type Used } from "#server/core/operations/companies/read-usage.ts";
import type { Context } from "#server/core/shared/context.ts";

import { type Checklist, readChecklist } from "./checklist.ts";
import { countHeld, countQuarantined } from "./count-waiting.ts";

/** Items that need attention: their number and the first of them. */
type Troubled<Item> = { count: number; first: Item[] };

const FIRST_MAX = 5;

type CompanyQueue = {
  /** Queued recipients. */
  waiting: number;
  /** The age of the oldest; null if none is queued. */
  oldestSeconds: number | null;
  /** Only a part of the queue was scanned; there may be more. */
  isCut: boolean;
};

// Per queue. Takes about 100 ms, however long the queue is.
const ROWS_SCANNED_MAX = 5_000;

type FullMailbox = { address: string; usedBytes: number; quotaMb: number };

const NEARLY_FULL = 0.9;

const MB = 1024 * 1024;

type TroubledDomain = {
  id: string;
  name: string;
  status: Domain["status"];
  /** Records that the last DNS check didn't find. */
  missing: DomainRecordKind[];
};

type TroubledWebhook = {
  id: string;
  endpoint: string;
  /** Consecutive failed attempts. */
  failures: number;
  failingSince: string | null;
  /** Disabled because of its failures. */
  isDisabled: boolean;
};

/** A company's overview; null for parts that the admin can't see. */
export type Overview = {
  queue: CompanyQueue | null;
  month: Used | null;
  domains: Troubled<TroubledDomain> | null;
  webhooks: Troubled<TroubledWebhook> | null;
  mailboxes: Troubled<FullMailbox> | null;
  held: number | null;
  quarantined: number | null;
  /** Also null once the first email was delivered. */
  checklist: Checklist | null;
};

/** Reads the parts that `callerPrivileges` allow. Mailboxes are limited to the units that they cover. */
export async function readOverview(
  ctx: Context,
  { email, ...callerPrivileges }: HeldPrivileges & { email: string },
): Promise<Overview> {
  const { privileges } = callerPrivileges;
  const holds = (...wanted: Privilege[]) => wanted.some((privilege) => privileges.has(privilege));
  const ifSo = <T>(isAllowed: boolean, read: () => Promise<T>) => (isAllowed ? read() : null);
  const [queue, month, domains, webhooks, mailboxes, held, quarantined, checklist] =
    await Promise.all([
      ifSo(holds("api_controls"), () => companyQueue(ctx)),
      ifSo(holds("api_controls", "manage_settings"), async () => (await readUsage(ctx)).month),
      ifSo(holds("api_controls", "domains"), () => troubledDomains(ctx)),
      ifSo(holds("api_controls"), () => troubledWebhooks(ctx)),
      ifSo(hasPrivilegeAnywhere(callerPrivileges, "view_users"), () =>
        fullMailboxes(ctx, callerPrivileges),
      ),
      ifSo(hasPrivilegeAnywhere(callerPrivileges, "reset_user_passwords"), () =>
        countHeld(ctx, callerPrivileges),
      ),
      ifSo(holds("update_users", "manage_groups"), () => countQuarantined(ctx, callerPrivileges)),
      ifSo(holds("api_controls"), () => readChecklist(ctx, email)),
    ]);
  const isDone = checklist === null || checklist.isDelivered;
  return {
    ...{ queue, month, domains, webhooks, mailboxes, held, quarantined },
    checklist: isDone ? null : checklist,
  };
}

/** Webhooks that fail or were disabled for failing, disabled ones first. Excludes those that an admin disabled. */
async function troubledWebhooks({ db, companyId }: Context): Promise<Troubled<TroubledWebhook>> {
  const rows = await db.execute<TroubledWebhook & { count: number }>(sql`
    select id, endpoint, failures, failing_since as "failingSince",
      disabled_for_failures_at is not null as "isDisabled", count(*) over ()::int as count
    from webhooks
    where company_id = ${companyId}
      and (disabled_for_failures_at is not null or (status = 'enabled' and failures > 0))
    order by disabled_for_failures_at is null, failures desc, id limit ${FIRST_MAX}`);
  return toTroubled(rows);
}

/**
 * Domains that can't send or lack records for sending. Missing records for receiving count only if they were
 * published before.
 */
async function troubledDomains({ db, companyId }: Context): Promise<Troubled<TroubledDomain>> {
  const rows = await db.execute<TroubledDomain & { count: number }>(sql`
    select domains.id, domains.name, domains.status, missing.records as missing, count(*) over ()::int as count
    from domains cross join lateral (
      select coalesce(array_agg(f.record::text order by f.record), '{}') as records
      from domain_findings f
      where f.domain_id = domains.id and not f.is_verified
        and (f.record in ('ownership', 'spf', 'dkim', 'dmarc') or f.missing_since is not null)
    ) missing
    where domains.company_id = ${companyId} and ${isLive}
      and (domains.status <> 'verified' or cardinality(missing.records) > 0)
    order by domains.status = 'verified', domains.created_at desc limit ${FIRST_MAX}`);
  return toTroubled(rows);
}

/** Nearly full mailboxes that the admin can see, fullest first. */
async function fullMailboxes(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
): Promise<Troubled<FullMailbox>> {
  const share = sql`${mailboxUsage.usedBytes} / (${mailboxes.quotaMb} * ${MB}::float8)`;
  const rows = await ctx.db
    .select({
      address: mailboxes.address,
      usedBytes: mailboxUsage.usedBytes,
      quotaMb: mailboxes.quotaMb,
      count: sql<number>`count(*) over ()::int`,
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
    .limit(FIRST_MAX);
  return toTroubled(rows);
}

/** The company's queued emails and messages. */
async function companyQueue(
  { db, companyId }: Context,
  { lookedAtMax = ROWS_SCANNED_MAX } = {},
): Promise<CompanyQueue> {
  const [row] = await db.execute<CompanyQueue>(sql`
    with emailed as (
      select email_id, created_at from outbox where lease_until is null
      order by next_attempt_at, id limit ${lookedAtMax}
    ), mailed as (
      select message_id, created_at from message_recipients
      where state = 'queued' and lease_until is null
      order by next_attempt_at, id limit ${lookedAtMax}
    ), waiting as (
      select q.created_at from emailed q join emails e on e.id = q.email_id
      where e.company_id = ${companyId}
      union all
      select q.created_at from mailed q join messages m on m.id = q.message_id
      where m.company_id = ${companyId}
    )
    select count(*)::int as waiting,
      extract(epoch from statement_timestamp() - min(created_at))::float8 as "oldestSeconds",
      greatest((select count(*) from emailed), (select count(*) from mailed)) >= ${lookedAtMax}
        as "isCut"
    from waiting`);
  return row!;
}

/** For queries that select the total count in each row. */
const toTroubled = <Item>(rows: (Item & { count: number })[]): Troubled<Item> => ({
  count: rows[0]?.count ?? 0,
  first: rows,
});
