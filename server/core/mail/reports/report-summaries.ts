import { sql } from "drizzle-orm";
import ipaddr from "ipaddr.js";

import type { Domain } from "#drizzle/schema/index.ts";
import { requireDomain } from "#server/core/domains/domains/require-domain.ts";
import { domainDns } from "#server/core/domains/domains/sending-domains.ts";
import type { Context } from "#server/core/shared/context.ts";
import { ask, type Resolver } from "#server/gateways/dns.ts";

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

const summaryQuery = (domain: Domain, { from, to }: DayRange) => sql`
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

// The names of less busy servers aren't worth the lookups.
const LOOKUPS_MAX = 25;

// The page waits for this. Names that take longer are omitted.
const TIMEOUT_MS = 1_500;

/**
 * Looks up the hostnames of the first 25 addresses. A name counts only if it resolves back to the address, since
 * reverse DNS can claim any name (`iprev`, RFC 8601, 3).
 */
export async function lookUpSourceNames(
  addresses: string[],
  resolver: Pick<Resolver, "resolve" | "a" | "aaaa"> = domainDns().resolver,
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const all = addresses.slice(0, LOOKUPS_MAX).map(async (address) => {
    const name = await lookUpName(address, resolver);
    if (name !== null) names.set(address, name);
  });
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => (timer = setTimeout(resolve, TIMEOUT_MS)));
  await Promise.race([Promise.all(all), patience]);
  clearTimeout(timer);
  return new Map(names);
}

async function lookUpName(
  address: string,
  resolver: Pick<Resolver, "resolve" | "a" | "aaaa">,
): Promise<string | null> {
  if (!ipaddr.isValid(address)) return null;
  const parsed = ipaddr.parse(address);
  const question = () => resolver.resolve(reverseName(parsed), "PTR") as Promise<string[]>;
  const pointers = await ask(question);
  const name = pointers.kind === "found" ? pointers.records[0] : undefined;
  if (name === undefined) return null;
  const found = await (parsed.kind() === "ipv4" ? resolver.a(name) : resolver.aaaa(name));
  const isOwn =
    found.kind === "found" &&
    found.records.some(
      (other) => ipaddr.isValid(other) && ipaddr.parse(other).toString() === parsed.toString(),
    );
  return isOwn ? name.toLowerCase() : null;
}

/** The reverse DNS name of an address (RFC 1035, 3.5; RFC 3596, 2.5). */
function reverseName(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const bytes = address.toByteArray();
  if (address.kind() === "ipv4") return `${bytes.toReversed().join(".")}.in-addr.arpa`;
  const digits = Buffer.from(bytes).toString("hex").split("");
  return `${digits.toReversed().join(".")}.ip6.arpa`;
}

const DAY_MS = 86_400_000;

type DayRange = { from: string; to: string };

/** The last `days` days in UTC, today among them, as `YYYY-MM-DD`. */
function summaryPeriod(ctx: Context, days: number): DayRange {
  const now = ctx.now().getTime();
  const dayAt = (time: number) => new Date(time).toISOString().slice(0, 10);
  return { from: dayAt(now - (days - 1) * DAY_MS), to: dayAt(now) };
}
