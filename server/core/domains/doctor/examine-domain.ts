import type { DnsFinding, DomainFinding } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import {
  toExpectation,
  type KnownDomain,
  loadDomain,
  listDomainRecords,
} from "#server/core/domains/dns-checks/load-domain.ts";
import { domainDns } from "#server/core/domains/domains/dns.ts";
import { SANDBOX_DOMAIN } from "#server/core/domains/domains/sandbox-domain.ts";
import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";
import { relevantFindings, isResolver } from "#server/core/domains/records/evaluate-findings.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";

import type { RecordCase } from "./internal/case.ts";
import { diagnose } from "./internal/diagnose.ts";
import { noProbes, probe, type Probes, zoneOf } from "./probe.ts";
import type { Problem } from "./problem.ts";
import { type DnsProvider, findProvider } from "./providers.ts";
import { formatZoneFile } from "./internal/zone-file.ts";

const CACHE_TTL_MS = 60_000;

const ENTRIES_MAX = 200;

type CachedProbes = { probes: Promise<Probes>; staleAt: number };

/** By way to the DNS, domain and check: an open page asks for them every few seconds. */
const probeCache = new WeakMap<ZoneDns, Map<string, CachedProbes>>();

/** A record to publish beside what the servers say, and what is wrong. */
type ExaminedRecord = Omit<DomainRecord, "value"> & {
  /** The value to publish; for an MX its host. */
  expected: string;
  /** What each server said at the last check, those of the domain first, then the resolver. */
  answers: DnsFinding[];
  /** When that was; null before the first check. */
  checkedAt: string | null;
  problems: Problem[];
};

export type Examination = {
  /** Null when nobody known serves the domain. */
  provider: DnsProvider | null;
  /** The registered name, which providers' forms add to what is typed as the host. */
  zone: string;
  records: ExaminedRecord[];
  /** What is wrong with the domain's name servers. */
  problems: Problem[];
  /** The records to publish as lines of a zone file (RFC 1035 §5). */
  zoneFile: string;
};

/**
 * Looks at one of the company's domains: its records as the last check found them, what is wrong with
 * them and what to do. Where a usual mistake would show it asks the DNS a few more questions, three
 * seconds at most and once a minute; it changes nothing. Not to be called in a transaction.
 *
 * @param dns null: goes by what is stored alone
 * @throws Refusal `not_found`
 */
export async function examineDomain(
  ctx: Context,
  domainId: string,
  { dns = domainDns() }: { dns?: ZoneDns | null } = {},
): Promise<Examination> {
  const known = await loadDomain(ctx, domainId);
  const records = listDomainRecords(known);
  const checked = records.filter(({ record }) => findFinding(known, record) !== undefined);
  const shouldProbe = dns !== null && checked.length > 0 && known.domain.name !== SANDBOX_DOMAIN;
  const probes = shouldProbe ? await cachedProbes(dns, known, checked) : noProbes();
  const cases = toCases(known, checked, probes);
  const problems = diagnose(cases);
  return {
    provider: findProvider(domainServersOf(known)),
    zone: zoneOf(known.domain.name),
    records: records.map(({ value, ...record }) => {
      const finding = findFinding(known, record.record);
      return {
        ...record,
        expected: value,
        answers: finding?.answers ?? [],
        checkedAt: finding?.checkedAt ?? null,
        problems: problems.filter((problem) => problem.record === record.record),
      };
    }),
    problems: problems.filter(({ record }) => record === null),
    zoneFile: formatZoneFile(records),
  };
}

const findFinding = ({ findings }: KnownDomain, record: string): DomainFinding | undefined =>
  findings.find((finding) => finding.record === record);

/** The name servers of the domain itself, as the last check found them. */
function domainServersOf(known: KnownDomain): string[] {
  const { answers } = findFinding(known, "spf") ??
    findFinding(known, "ownership") ?? { answers: [] };
  return answers.filter((finding) => !isResolver(finding)).map(({ server }) => server);
}

function toCases(known: KnownDomain, records: DomainRecord[], probes: Probes): RecordCase[] {
  const domainServers = domainServersOf(known);
  const isFound = (kind: string) => findFinding(known, kind)?.isVerified ?? false;
  return records.map((record) => ({
    ...{ record, probes, domainServers },
    domain: known.domain.name,
    zone: zoneOf(known.domain.name),
    answers: findFinding(known, record.record)!.answers,
    expectation: toExpectation(known),
    provider: findProvider(domainServers),
    isAuthenticated: isFound("dkim") || isFound("spf"),
  }));
}

/** What `probe` finds for a domain, remembered for a minute or until its next check. */
function cachedProbes(
  dns: ZoneDns,
  { domain, findings }: KnownDomain,
  records: DomainRecord[],
): Promise<Probes> {
  const entries = probeCache.get(dns) ?? new Map<string, CachedProbes>();
  probeCache.set(dns, entries);
  const key = `${domain.id} ${domain.checkedAt}`;
  const known = entries.get(key);
  if (known && known.staleAt > performance.now()) return known.probes;
  const mx = findings.find(({ record }) => record === "mx")?.answers ?? [];
  const mailHosts = relevantFindings(mx).flatMap(({ records }) => records.map(([, host]) => host!));
  const probes = probe(dns, {
    domain: domain.name,
    hostname: config().hostname,
    missing: records.filter(({ isVerified, value }) => !isVerified && value !== ""),
    mailHosts: [...new Set([config().hostname, ...mailHosts])].filter((host) => host !== ""),
  });
  entries.delete(key);
  entries.set(key, { probes, staleAt: performance.now() + CACHE_TTL_MS });
  if (entries.size > ENTRIES_MAX) entries.delete(entries.keys().next().value!);
  return probes;
}
