import { getDomain } from "tldts";

import type { DnsFinding } from "#drizzle/schema/index.ts";
import { normalizeHost } from "#server/core/domains/records/return-path.ts";
import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";
import type { ZoneDns, ZoneQuestion } from "#server/gateways/zone-dns.ts";

/** Results of additional queries that reveal common mistakes. */
export type Probes = {
  /** Answers at names where records are often put by mistake. */
  elsewhere: Map<string, DnsFinding[]>;
  /** Answers at a random name: a wildcard answers there. */
  wildcard: DnsFinding[];
  /** The domain's mail servers and the appliance. */
  hosts: Map<string, { addresses: string[]; isAlias: boolean }>;
  /** How long resolvers cache the absence of a record, in seconds; null if unknown. */
  negativeTtl: number | null;
};

export const noProbes = (): Probes => ({
  elsewhere: new Map(),
  wildcard: [],
  hosts: new Map(),
  negativeTtl: null,
});

const HOSTS_MAX = 6;
const MS_MAX = 3_000;

/** The registered domain: the highest name for which the company can enter records. */
export const findZone = (domain: string): string => getDomain(domain) ?? domain;

/** A domain and its parents up to the registered domain, longest first: one of them is its zone. */
export function zoneNames(domain: string): string[] {
  const top = findZone(domain);
  const labels = domain.split(".");
  return labels
    .map((_, at) => labels.slice(at).join("."))
    .filter((name) => name === top || name.endsWith(`.${top}`));
}

/**
 * Names where a record ends up by common mistakes: the domain typed into a form that appends it, the value at
 * the domain itself, the underscore or the middle label left out.
 */
export function misplacedNames(domain: string, { name }: Pick<DomainRecord, "name">): string[] {
  const zone = findZone(domain);
  const host = name.slice(0, -domain.length - 1);
  const names = [`${name}.${zone}`];
  if (host !== "") {
    names.push(domain, `${host.replace(/^_/, "")}.${domain}`);
    if (host.includes(".")) names.push(`${host.split(".")[0]!}.${domain}`);
    if (domain !== zone) names.push(`${host}.${zone}`);
  } else if (domain !== zone) names.push(zone);
  return [...new Set(names)].filter((place) => place !== name);
}

/** Where the appliance's domain agrees to receive reports about another domain (RFC 7489 §7.1). */
export const reportPermissionName = (domain: string, hostname: string) =>
  `${domain}._report._dmarc.${hostname}`;

type Wanted = {
  domain: string;
  /** The appliance's. */
  hostname: string;
  /** Records not found at their names. */
  missing: DomainRecord[];
  mailHosts: string[];
};

/**
 * Makes the additional queries of a diagnosis: some two dozen in parallel, for three seconds at most. Answers
 * that arrive later are missing.
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
  for (const name of new Set([domain, findZone(domain)])) {
    const soa = await resolver.resolve(name, "SOA").catch(() => null);
    if (soa && typeof soa === "object" && "minttl" in soa) return Number(soa.minttl);
  }
  return null;
}
