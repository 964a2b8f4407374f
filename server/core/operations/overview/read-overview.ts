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
import { viewable } from "#server/core/mailboxes/mailboxes/viewable.ts";
import { readUsage, type Used } from "#server/core/operations/companies/read-usage.ts";
import type { Context } from "#server/core/shared/context.ts";

import { type Checklist, readChecklist } from "./checklist.ts";
import { countHeld, countQuarantined } from "./count-waiting.ts";

/** What needs attention: how many there are, and the first of them. */
type Troubled<Item> = { count: number; first: Item[] };

const FIRST_MAX = 5;

type CompanyQueue = {
  /** Recipients that wait for their first attempt or the next. */
  waiting: number;
  /** How long the one that has waited longest does; null when none waits. */
  oldestSeconds: number | null;
  /** The queue is so long that only a part of it was looked at: there may be more. */
  isCut: boolean;
};

/** Rows of each queue that are looked at: about 100 ms, however long it is. */
const ROWS_SCANNED_MAX = 5_000;

/** A mailbox that will soon refuse mail, or does. */
type FullMailbox = { address: string; usedBytes: number; quotaMb: number };

/** From this part of its size on a mailbox is nearly full. */
const NEARLY_FULL = 0.9;

const MB = 1024 * 1024;

/** A domain that somebody should look at. */
type TroubledDomain = {
  id: string;
  name: string;
  status: Domain["status"];
  /** Records that the last check did not find. */
  missing: DomainRecordKind[];
};

/** A webhook that does not take its events. */
type TroubledWebhook = {
  id: string;
  endpoint: string;
  /** Failed attempts in a row. */
  failures: number;
  failingSince: string | null;
  /** It gets nothing any more until somebody enables it again. */
  isDisabled: boolean;
};

/** How a company is, as far as one may see it: null for what one may not. */
export type Overview = {
  queue: CompanyQueue | null;
  month: Used | null;
  domains: Troubled<TroubledDomain> | null;
  webhooks: Troubled<TroubledWebhook> | null;
  mailboxes: Troubled<FullMailbox> | null;
  held: number | null;
  quarantined: number | null;
  /** Null once the first email was delivered, too. */
  checklist: Checklist | null;
};

/** Reads all that `rights` allow; of mailboxes those in the units that they allow. */
export async function readOverview(
  ctx: Context,
  { email, ...rights }: HeldPrivileges & { email: string },
): Promise<Overview> {
  const { privileges } = rights;
  const holds = (...wanted: Privilege[]) => wanted.some((privilege) => privileges.has(privilege));
  const ifSo = <T>(isAllowed: boolean, read: () => Promise<T>) => (isAllowed ? read() : null);
  const [queue, month, domains, webhooks, mailboxes, held, quarantined, checklist] =
    await Promise.all([
      ifSo(holds("api_controls"), () => companyQueue(ctx)),
      ifSo(holds("api_controls", "manage_settings"), async () => (await readUsage(ctx)).month),
      ifSo(holds("api_controls", "domains"), () => troubledDomains(ctx)),
      ifSo(holds("api_controls"), () => troubledWebhooks(ctx)),
      ifSo(hasPrivilegeAnywhere(rights, "view_users"), () => fullMailboxes(ctx, rights)),
      ifSo(hasPrivilegeAnywhere(rights, "reset_user_passwords"), () => countHeld(ctx, rights)),
      ifSo(holds("update_users", "manage_groups"), () => countQuarantined(ctx, rights)),
      ifSo(holds("api_controls"), () => readChecklist(ctx, email)),
    ]);
  const isDone = checklist === null || checklist.isDelivered;
  return {
    ...{ queue, month, domains, webhooks, mailboxes, held, quarantined },
    checklist: isDone ? null : checklist,
  };
}

/** The company's webhooks that fail or were disabled for it, the disabled ones first. One that a person has paused is well. */
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
 * The company's domains that cannot send, or whose records for sending are not all there. Those for
 * receiving count once they were there and are gone.
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

/** The mailboxes that are nearly full, of those that `rights` let one see, the fullest first. */
async function fullMailboxes(ctx: Context, rights: HeldPrivileges): Promise<Troubled<FullMailbox>> {
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
        viewable(rights),
        sql`${mailboxes.quotaMb} > 0 and ${share} >= ${NEARLY_FULL}`,
      ),
    )
    .orderBy(desc(share), mailboxes.address)
    .limit(FIRST_MAX);
  return toTroubled(rows);
}

/** What of a company's emails and mail waits to leave, the longest due first. */
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

/** The first rows of a query that counts all of them beside each. */
const toTroubled = <Item>(rows: (Item & { count: number })[]): Troubled<Item> => ({
  count: rows[0]?.count ?? 0,
  first: rows,
});
