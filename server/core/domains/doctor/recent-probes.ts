import { config } from "#server/config.ts";
import type { KnownDomain } from "#server/core/domains/dns-checks/load-domain.ts";
import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";
import { findingsThatCount } from "#server/core/domains/records/judge.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";

import { probe, type Probes } from "./probe.ts";

const FRESH_MS = 60_000;
const ENTRIES_MAX = 200;

type Recent = { probes: Promise<Probes>; staleAt: number };

/** By way to the DNS, domain and check: an open page asks for them every few seconds. */
const recent = new WeakMap<ZoneDns, Map<string, Recent>>();

/** What `probe` finds for a domain, remembered for a minute or until its next check. */
export function probesOf(
  dns: ZoneDns,
  { domain, findings }: KnownDomain,
  records: DomainRecord[],
): Promise<Probes> {
  const entries = recent.get(dns) ?? new Map<string, Recent>();
  recent.set(dns, entries);
  const key = `${domain.id} ${domain.checkedAt}`;
  const known = entries.get(key);
  if (known && known.staleAt > performance.now()) return known.probes;
  const mx = findings.find(({ record }) => record === "mx")?.answers ?? [];
  const mailHosts = findingsThatCount(mx).flatMap(({ records }) =>
    records.map(([, host]) => host!),
  );
  const probes = probe(dns, {
    domain: domain.name,
    hostname: config().hostname,
    missing: records.filter(({ isVerified, value }) => !isVerified && value !== ""),
    mailHosts: [...new Set([config().hostname, ...mailHosts])].filter((host) => host !== ""),
  });
  entries.delete(key);
  entries.set(key, { probes, staleAt: performance.now() + FRESH_MS });
  if (entries.size > ENTRIES_MAX) entries.delete(entries.keys().next().value!);
  return probes;
}
