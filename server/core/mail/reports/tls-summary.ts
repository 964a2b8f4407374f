import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";
import { requireDomain } from "#server/core/domains/domains/require-domain.ts";

import { summaryPeriod } from "./internal/summary-period.ts";

/** What senders reported about TLS on deliveries to a domain. */
export type TlsSummary = {
  /** Connections. */
  sessions: number;
  successful: number;
  failed: number;
  /** Every day of the period in UTC, oldest first. */
  days: { day: string; successful: number; failed: number }[];
  /** The 50 most frequent failures, in that order. */
  failures: {
    /** RFC 8460, 4.3: `certificate-expired`, `starttls-not-supported`, … */
    type: string;
    sessions: number;
    reporters: string[];
    /** Our mail servers, where reported. */
    mailHosts: string[];
    /** The reporters' explanations, where given. */
    reasons: string[];
  }[];
  reporters: string[];
};

const FAILURES_MAX = 50;
const NAMES_MAX = 20;

/**
 * Summarizes the TLS reports about a domain for the last `days` days.
 *
 * @throws Refusal `not_found`
 */
export async function summarizeTlsReports(
  ctx: Context,
  domainId: string,
  { days }: { days: number },
): Promise<TlsSummary> {
  const domain = await requireDomain(ctx, domainId);
  const { from, to } = summaryPeriod(ctx, days);
  const [row] = await ctx.db.execute<TlsSummary>(sql`
    with reports as materialized (
      select org_name, successful, failed, failures,
        ((period_start + (period_end - period_start) / 2) at time zone 'UTC')::date as day
      from tls_reports
      where domain_id = ${domain.id}::uuid and company_id = ${ctx.companyId}::uuid
        and period_end >= ${from}::date
    ), by_day as (
      select day, sum(successful) as successful, sum(failed) as failed from reports group by day
    ), by_failure as (
      select f.type, sum(f.sessions) as sessions,
        (array_agg(distinct org_name))[:${NAMES_MAX}] as reporters,
        (coalesce(array_agg(distinct f."receivingMx") filter (where f."receivingMx" is not null),
          '{}'))[:${NAMES_MAX}] as "mailHosts",
        (coalesce(array_agg(distinct f.reason) filter (where f.reason is not null),
          '{}'))[:${NAMES_MAX}] as reasons
      from reports cross join lateral jsonb_to_recordset(failures)
        as f(type text, "receivingMx" text, reason text, sessions int8)
      group by f.type order by sum(f.sessions) desc, f.type limit ${FAILURES_MAX}
    )
    select
      (select coalesce(sum(successful + failed), 0) from by_day)::float8 as sessions,
      (select coalesce(sum(successful), 0) from by_day)::float8 as successful,
      (select coalesce(sum(failed), 0) from by_day)::float8 as failed,
      (select jsonb_agg(jsonb_build_object('day', d::date,
          'successful', coalesce(successful, 0), 'failed', coalesce(failed, 0)) order by d)
        from generate_series(${from}::date, ${to}::date, interval '1 day') d
          left join by_day on by_day.day = d::date) as days,
      (select coalesce(jsonb_agg(to_jsonb(by_failure) order by sessions desc, type), '[]')
        from by_failure) as failures,
      (select coalesce(jsonb_agg(distinct org_name), '[]') from reports) as reporters`);
  return row!;
}
