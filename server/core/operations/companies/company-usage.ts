import { sql } from "drizzle-orm";

import { isLive } from "#server/core/domains/domains/require-domain.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

/** `allowed` is null for no limit. */
export type Used = { used: number; allowed: number | null };

/** A company's usage and limits. */
export type Usage = {
  /** The plan's name; null for custom limits. */
  plan: string | null;
  /** Recipients of this calendar month (UTC). */
  month: Used;
  /** Recipients of the last 60 minutes. */
  hour: Used;
  /** Recipients of scheduled emails. */
  scheduled: Used;
  domains: Used;
  mailboxes: Used;
  /** The total usage of mailboxes, `deletedBytes` by deleted ones, and their total quota without those. */
  storage: { usedBytes: number; deletedBytes: number; allowedBytes: number };
  largestMailboxMb: number | null;
  requestsPerSecond: number;
  requestsInProgress: number;
};

type Row = Record<
  | "month"
  | "hour"
  | "scheduled"
  | "domains"
  | "mailboxes"
  | "usedBytes"
  | "deletedBytes"
  | "quotaMb",
  number
> &
  Record<"monthlyAllowance" | "domainsMax" | "mailboxesMax" | "quotaMbMax", number | null> & {
    plan: string | null;
  };

const MB = 1024 * 1024;

/** Reads the current usage, without locks. */
export async function readUsage(ctx: Context): Promise<Usage> {
  const settings = await currentSettings(ctx.db);
  const [row] = await ctx.db.execute<Row>(sql`
    select (select p.name from plans p where p.id = c.plan_id) as plan,
      c.monthly_allowance as "monthlyAllowance", c.domains_max as "domainsMax",
      c.mailboxes_max as "mailboxesMax", c.quota_mb_max as "quotaMbMax",
      coalesce((
        select sum(s.recipients) from sending_seconds s where s.scope = c.id
          and s.second > floor(extract(epoch from statement_timestamp())) - 3600), 0)::int as hour,
      coalesce(case when t.month = to_char(statement_timestamp() at time zone 'UTC', 'YYYY-MM-01')
        then t.month_recipients end, 0)::float8 as month,
      coalesce(t.scheduled_recipients, 0)::float8 as scheduled,
      (select count(*) from domains where domains.company_id = c.id and ${isLive})::int as domains,
      (select coalesce(sum(d.storage_bytes), 0)::float8 from deleted_items d
        where d.company_id = c.id) as "deletedBytes",
      held.mailboxes, held.quota as "quotaMb", held.used as "usedBytes"
    from companies c left join sending_totals t on t.scope = c.id,
      lateral (
        select count(*)::int as mailboxes, coalesce(sum(b.quota_mb), 0)::float8 as quota,
          coalesce(sum(u.used_bytes), 0)::float8 as used
        from mailboxes b left join mailbox_usage u on u.address = b.address
        where b.company_id = c.id) held
    where c.id = ${ctx.companyId}`);
  if (!row) throw new Error(`There is no company ${ctx.companyId}`);
  return {
    plan: row.plan,
    month: { used: row.month, allowed: row.monthlyAllowance },
    hour: { used: row.hour, allowed: settings.hourly_recipients_company },
    scheduled: { used: row.scheduled, allowed: settings.scheduled_backlog },
    domains: { used: row.domains, allowed: row.domainsMax },
    mailboxes: { used: row.mailboxes, allowed: row.mailboxesMax },
    storage: {
      usedBytes: row.usedBytes + row.deletedBytes,
      deletedBytes: row.deletedBytes,
      allowedBytes: row.quotaMb * MB,
    },
    largestMailboxMb: row.quotaMbMax,
    requestsPerSecond: settings.request_rate_per_second,
    requestsInProgress: settings.requests_in_progress,
  };
}

export type CompanyUsage = {
  /** Recipients of this calendar month (UTC). */
  monthRecipients: number;
  domains: number;
  mailboxes: number;
};

/** Reads the companies' usage, by company id. */
export async function readCompanyUsage(
  db: Db,
  companyIds: string[],
): Promise<Map<string, CompanyUsage>> {
  const rows = await db.execute<CompanyUsage & { id: string }>(sql`
    select wanted.id,
      coalesce((select month_recipients from sending_totals t where t.scope = wanted.id
        and t.month = to_char(statement_timestamp() at time zone 'UTC', 'YYYY-MM-01')), 0)::float8
        as "monthRecipients",
      (select count(*) from domains d where d.company_id = wanted.id)::int as domains,
      (select count(*) from mailboxes m where m.company_id = wanted.id)::int as mailboxes
    from (select jsonb_array_elements_text(${JSON.stringify(companyIds)}::jsonb)::uuid as id) wanted`);
  return new Map(rows.map(({ id, ...usage }) => [id, usage]));
}
