import type { DnsFinding, DomainFinding } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import {
  type KnownDomain,
  listPublishableRecords,
  loadDomain,
  toExpectation,
} from "#server/core/domains/dns-checks/check-records.ts";
import { domainDns } from "#server/core/domains/domains/sending-domains.ts";
import { SANDBOX_DOMAIN } from "#server/core/domains/domains/parse-domain-name.ts";
import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";
import { relevantFindings, isResolver } from "#server/core/domains/records/evaluate-findings.ts";
import type { Context } from "#server/core/shared/context.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";

import type { RecordCase } from "./internal/case.ts";
import { diagnose } from "./internal/diagnose.ts";
import { noProbes, probe, type Probes, findZone } from "./probe.ts";
import type { Problem } from "./problem.ts";
import { type DnsProvider, findProvider } from "./providers.ts";
import { formatZoneFile } from "./zone-file.ts";

const CACHE_TTL_MS = 60_000;

const ENTRIES_MAX = 200;

/** By DNS client, then by domain and check: an open page polls every few seconds. */
const probeCache = new WeakMap<ZoneDns, PromiseCache<Probes>>();

/** A record with what the servers answered and its problems. */
type ExaminedRecord = Omit<DomainRecord, "value"> & {
  /** The value to publish; the host for an MX record. */
  expected: string;
  /** The answers of the last check: the domain's servers first, then the resolver. */
  answers: DnsFinding[];
  /** Null before the first check. */
  checkedAt: string | null;
  problems: Problem[];
};

export type Examination = {
  name: string;
  isOwnershipVerified: boolean;
  /** Null if the provider is unknown. */
  provider: DnsProvider | null;
  /** The registered domain, which providers' forms append to the host. */
  zone: string;
  records: ExaminedRecord[];
  /** Problems with the domain's name servers. */
  problems: Problem[];
  /** The records to publish in zone file format (RFC 1035 §5). */
  zoneFile: string;
};

/**
 * Examines one of the company's domains: its records as of the last check, their problems and how to fix
 * them. Makes a few additional DNS queries where they help, for three seconds at most and cached for a
 * minute. Changes nothing. Must not run in a transaction.
 *
 * @param dns null: use stored answers only
 * @throws Refusal `not_found`
 */
export async function examineDomain(
  ctx: Context,
  domainId: string,
  { dns = domainDns() }: { dns?: ZoneDns | null } = {},
): Promise<Examination> {
  const known = await loadDomain(ctx, domainId);
  const records = listPublishableRecords(known);
  const checked = records.filter(({ record }) => findFinding(known, record) !== undefined);
  const shouldProbe = dns !== null && checked.length > 0 && known.domain.name !== SANDBOX_DOMAIN;
  const probes = shouldProbe ? await cachedProbes(dns, known, checked) : noProbes();
  const cases = toCases(known, checked, probes);
  const problems = diagnose(cases);
  return {
    name: known.domain.name,
    isOwnershipVerified: known.domain.ownershipProvenAt !== null,
    provider: findProvider(domainServersOf(known)),
    zone: findZone(known.domain.name),
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

/** The domain's own name servers, as of the last check. */
function domainServersOf(known: KnownDomain): string[] {
  const { answers } = findFinding(known, "spf") ??
    findFinding(known, "ownership") ?? { answers: [] };
  return answers.filter((finding) => !isResolver(finding)).map(({ server }) => server);
}

function toCases(known: KnownDomain, records: DomainRecord[], probes: Probes): RecordCase[] {
  const domainServers = domainServersOf(known);
  const isFound = (kind: string) => findFinding(known, kind)?.isVerified ?? false;
  return records.map((record) => ({
    record,
    probes,
    domainServers,
    domain: known.domain.name,
    zone: findZone(known.domain.name),
    answers: findFinding(known, record.record)!.answers,
    expectation: toExpectation(known),
    provider: findProvider(domainServers),
    isAuthenticated: isFound("dkim") || isFound("spf"),
  }));
}

/** Probes a domain; cached for a minute or until its next check. */
function cachedProbes(dns: ZoneDns, known: KnownDomain, records: DomainRecord[]): Promise<Probes> {
  const { domain } = known;
  const cache =
    probeCache.get(dns) ?? new PromiseCache<Probes>({ max: ENTRIES_MAX, ttlMs: CACHE_TTL_MS });
  probeCache.set(dns, cache);
  return cache.get(`${domain.id} ${domain.checkedAt}`, () => probeDomain(dns, known, records));
}

function probeDomain(
  dns: ZoneDns,
  { domain, findings }: KnownDomain,
  records: DomainRecord[],
): Promise<Probes> {
  const mx = findings.find(({ record }) => record === "mx")?.answers ?? [];
  const mailHosts = relevantFindings(mx).flatMap(({ records }) => records.map(([, host]) => host!));
  return probe(dns, {
    domain: domain.name,
    hostname: config().hostname,
    missing: records.filter(({ isVerified, value }) => !isVerified && value !== ""),
    mailHosts: [...new Set([config().hostname, ...mailHosts])].filter((host) => host !== ""),
  });
}
