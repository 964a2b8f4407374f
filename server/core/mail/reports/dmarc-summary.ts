import { sql } from "drizzle-orm";

import type { Domain } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { requireDomain } from "#server/core/domains/domains/require-domain.ts";

import { type Period, summaryPeriod } from "./internal/summary-period.ts";

/** What receivers reported about mail with a domain in From. */
export type DmarcSummary = {
  messages: number;
  /** Messages that passed DMARC. */
  passed: number;
  /** Every day of the period in UTC, oldest first. */
  days: { day: string; passed: number; failed: number }[];
  /** The 100 servers with the most messages, in that order. */
  sources: DmarcSourceSummary[];
  /** The number of all servers. */
  sourceCount: number;
  /** Names of the reporting organizations. */
  reporters: string[];
  /** The published policy according to the newest report; null without reports. */
  policy: "none" | "quarantine" | "reject" | null;
};

type DmarcSourceSummary = {
  sourceIp: string;
  /** Filled in by the caller. */
  hostname: null;
  messages: number;
  passed: number;
  dkimPassed: number;
  spfPassed: number;
  quarantined: number;
  rejected: number;
  headerFrom: string[];
  reporters: string[];
};

const SOURCES_MAX = 100;
const NAMES_MAX = 20;

/**
 * Summarizes the DMARC reports about a domain for the last `days` days.
 *
 * @throws Refusal `not_found`
 */
export async function summarizeDmarcReports(
  ctx: Context,
  domainId: string,
  { days }: { days: number },
): Promise<DmarcSummary> {
  const domain = await requireDomain(ctx, domainId);
  return ctx.db.transaction(async (tx) => {
    // Memory for hashing many sources. JIT costs more than it gains here.
    await tx.execute(sql`set local work_mem = '64MB'`);
    await tx.execute(sql`set local jit = off`);
    const [row] = await tx.execute<DmarcSummary>(summaryQuery(domain, summaryPeriod(ctx, days)));
    return row!;
  });
}

const summaryQuery = (domain: Domain, { from, to }: Period) => sql`
    with reports as materialized (
      select id, org_name, period_end, case when policy ->> 'p' in ('none', 'quarantine', 'reject')
          then policy ->> 'p' end as policy,
        ((period_start + (period_end - period_start) / 2) at time zone 'UTC')::date as day
      from dmarc_reports
      where domain_id = ${domain.id}::uuid and company_id = ${domain.companyId}::uuid
        and period_end >= ${from}::date
    ), counted as materialized (
      select r.day, s.source_ip, grouping(r.day) = 0 as is_day, sum(s.messages) as messages,
        sum(s.messages) filter (where s.dkim = 'pass' or s.spf = 'pass') as passed,
        sum(s.messages) filter (where s.dkim = 'pass') as dkim_passed,
        sum(s.messages) filter (where s.spf = 'pass') as spf_passed,
        sum(s.messages) filter (where s.disposition = 'quarantine') as quarantined,
        sum(s.messages) filter (where s.disposition = 'reject') as rejected
      from reports r join dmarc_sources s on s.report_id = r.id
      group by grouping sets ((r.day), (s.source_ip))
    ), top as materialized (
      select * from counted where not is_day order by messages desc, source_ip limit ${SOURCES_MAX}
    ), named as (
      select s.source_ip,
        (array_agg(distinct s.header_from))[:${NAMES_MAX}] as header_from,
        (array_agg(distinct r.org_name))[:${NAMES_MAX}] as reporters
      from reports r join dmarc_sources s on s.report_id = r.id
      where s.source_ip in (select source_ip from top)
      group by s.source_ip
    ), shown_days as (
      select d::date as day, coalesce(passed, 0) as passed,
        coalesce(messages, 0) - coalesce(passed, 0) as failed
      from generate_series(${from}::date, ${to}::date, interval '1 day') d
        left join counted on is_day and counted.day = d::date
    )
    select
      (select coalesce(sum(messages), 0) from counted where is_day)::float8 as messages,
      (select coalesce(sum(passed), 0) from counted where is_day)::float8 as passed,
      (select jsonb_agg(jsonb_build_object('day', day, 'passed', passed, 'failed', failed)
        order by day) from shown_days) as days,
      (select coalesce(jsonb_agg(jsonb_build_object(
          'sourceIp', source_ip, 'hostname', null, 'messages', messages,
          'passed', coalesce(passed, 0), 'dkimPassed', coalesce(dkim_passed, 0),
          'spfPassed', coalesce(spf_passed, 0),
          'quarantined', coalesce(quarantined, 0), 'rejected', coalesce(rejected, 0),
          'headerFrom', header_from, 'reporters', named.reporters)
        order by messages desc, source_ip), '[]') from top join named using (source_ip)) as sources,
      (select count(*) from counted where not is_day)::float8 as "sourceCount",
      (select coalesce(jsonb_agg(distinct org_name), '[]') from reports) as reporters,
      (select policy from reports order by period_end desc limit 1) as policy`;
