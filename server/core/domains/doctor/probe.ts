import { getDomain } from "tldts";

import type { DnsFinding } from "#drizzle/schema/index.ts";
import { normalizeHost } from "#server/core/domains/records/evaluate-record.ts";
import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";
import type { ZoneDns, ZoneQuestion } from "#server/gateways/zone-dns.ts";

/** What was looked at beside the places where records belong, because mistakes show there. */
export type Probes = {
  /** Answers by name, of places where somebody may have put a record by mistake. */
  elsewhere: Map<string, DnsFinding[]>;
  /** At a name that nobody has made: a wildcard answers there. */
  wildcard: DnsFinding[];
  /** Hosts that mail for the domain goes to, and the appliance itself. */
  hosts: Map<string, { addresses: string[]; isAlias: boolean }>;
  /** Seconds for which others remember that something was not there; null when unknown. */
  negativeTtl: number | null;
};

/** Without any question asked. */
export const noProbes = (): Probes => ({
  ...{ elsewhere: new Map(), wildcard: [], hosts: new Map(), negativeTtl: null },
});

const HOSTS_MAX = 6;
const MS_MAX = 3_000;

/** The name that is registered, above which nobody of the company enters records. */
export const zoneOf = (domain: string): string => getDomain(domain) ?? domain;

/**
 * Places where a record ends up by the usual mistakes: the domain typed into a form that adds it, the
 * value at the domain itself, the underscore or the label in the middle left out.
 */
export function misplacedNames(domain: string, { name }: Pick<DomainRecord, "name">): string[] {
  const zone = zoneOf(domain);
  const host = name.slice(0, -domain.length - 1);
  const names = [`${name}.${zone}`];
  if (host !== "") {
    names.push(domain, `${host.replace(/^_/, "")}.${domain}`);
    if (host.includes(".")) names.push(`${host.split(".")[0]!}.${domain}`);
    if (domain !== zone) names.push(`${host}.${zone}`);
  } else if (domain !== zone) names.push(zone);
  return [...new Set(names)].filter((place) => place !== name);
}

/** Where the appliance's own domain agrees to take reports about another one (RFC 7489 §7.1). */
export const reportPermissionName = (domain: string, hostname: string) =>
  `${domain}._report._dmarc.${hostname}`;

type Wanted = {
  domain: string;
  /** The appliance's. */
  hostname: string;
  /** Records that were not found where they belong. */
  missing: DomainRecord[];
  mailHosts: string[];
};

/**
 * Asks what a diagnosis needs beside what is stored: some two dozen questions at once, three seconds
 * at most. What was not answered by then is missing.
 */
export async function probe(
  dns: ZoneDns,
  { domain, hostname, missing, mailHosts }: Wanted,
): Promise<Probes> {
  const probes = noProbes();
  const questions = new Map<string, ZoneQuestion>();
  for (const record of missing)
    for (const name of misplacedNames(domain, record))
      questions.set(`${record.type} ${name}`, { name, type: record.type });
  const permission = reportPermissionName(domain, hostname);
  questions.set(`TXT ${permission}`, { name: permission, type: "TXT" });
  const wildcard = { name: `no-such-name-3f9c.${domain}`, type: "TXT" as const };
  const asking = [
    dns.askAll([wildcard, ...questions.values()]).then(([atWildcard, ...answers]) => {
      probes.wildcard = atWildcard!;
      [...questions.keys()].forEach((key, at) => probes.elsewhere.set(key, answers[at]!));
    }),
    ...mailHosts.slice(0, HOSTS_MAX).map(async (host) => {
      probes.hosts.set(normalizeHost(host), await lookUpHost(dns, host));
    }),
    findNegativeTtl(dns, domain).then((ttl) => (probes.negativeTtl = ttl)),
  ];
  await Promise.race([
    Promise.all(asking),
    new Promise((done) => setTimeout(done, MS_MAX).unref()),
  ]);
  return probes;
}

async function lookUpHost({ resolver }: ZoneDns, host: string) {
  const [four, six, alias] = await Promise.all([
    resolver.a(host),
    resolver.aaaa(host),
    resolver.resolve(host, "CNAME").then(
      () => true,
      () => false,
    ),
  ]);
  const addresses = [four, six].flatMap((answer) =>
    answer.kind === "found" ? answer.records : [],
  );
  return { addresses, isAlias: alias };
}

async function findNegativeTtl({ resolver }: ZoneDns, domain: string): Promise<number | null> {
  for (const name of new Set([domain, zoneOf(domain)])) {
    const soa = await resolver.resolve(name, "SOA").catch(() => null);
    if (soa && typeof soa === "object" && "minttl" in soa) return Number(soa.minttl);
  }
  return null;
}
