import { Resolver as NodeResolver } from "node:dns/promises";

import type { DnsFinding } from "#drizzle/schema/index.ts";
import type { Config } from "#server/config.ts";

import { type Answer, ask, createResolver, formatServer, type Resolver } from "./dns.ts";
import { isPublicAddress } from "./public-address.ts";

/** A longer list is a mistake, or belongs to a zone that isn't a customer's. */
const SERVERS_MAX = 8;

/** Per query and server; the second try waits twice as long. */
const QUERY_TIMEOUTS = { timeoutMs: 700, tries: 2 };

/** A bound for unexpected delays: the three steps (zone, addresses, query) take less. */
const ALL_MS_MAX = 7_000;

export type ZoneQuestion = { name: string; type: "TXT" | "MX" | "CNAME" };

/** Queries the authoritative servers of a zone, so that stale caches don't count. */
export type ZoneDns = {
  /**
   * Returns the answer of each authoritative server, then of the configured resolver. If no authoritative
   * server is known, only the resolver is queried, and its denials have the reason `NO_TOP_LEVEL` if it
   * seems to deny everything. Never throws. Takes about 5 s at most.
   */
  ask(name: string, type: ZoneQuestion["type"]): Promise<DnsFinding[]>;
  /** Runs several queries about names of one domain; its servers are looked up once. */
  askAll(questions: ZoneQuestion[]): Promise<DnsFinding[][]>;
  /** The configured resolver, for all other queries. */
  resolver: Resolver;
};

type Options = {
  /** Servers of the configured resolver; null for the system's. */
  dnsServers: Config["dnsServers"];
  /** The port of name servers. */
  port?: number;
  /** Whether name servers at private and special addresses are queried: local mode and tests. */
  allowPrivate?: boolean;
};

/** Creates a client for the authoritative name servers of domains. */
export function createZoneDns({ dnsServers, port = 53, allowPrivate = false }: Options): ZoneDns {
  const resolver = createResolver({ dnsServers }, QUERY_TIMEOUTS);
  const configured = () => {
    const dns = new NodeResolver({
      timeout: QUERY_TIMEOUTS.timeoutMs,
      tries: QUERY_TIMEOUTS.tries,
    });
    if (dnsServers) dns.setServers(dnsServers.map(formatServer));
    return dns;
  };
  const isAsked = ({ address }: NameServer) =>
    address !== null && (allowPrivate || isPublicAddress(address));

  async function askZone(zone: Zone, question: ZoneQuestion): Promise<DnsFinding[]> {
    const servers = zone.servers.filter((server) => server.address === null || isAsked(server));
    return Promise.all(
      servers.slice(0, SERVERS_MAX).map(async (server) => {
        if (server.address === null) return failed(server, "NO_ADDRESS");
        const dns = new NodeResolver({
          timeout: QUERY_TIMEOUTS.timeoutMs,
          tries: QUERY_TIMEOUTS.tries,
        });
        dns.setServers([formatServer({ address: server.address, port })]);
        const finding = await askServer(dns, server, question);
        // The parent zone's server denies names that it has delegated.
        if (!zone.isCertain && ["no_name", "no_data"].includes(finding.kind))
          return failed(server, "DELEGATION");
        return followAlias(finding, question);
      }),
    );
  }

  /** The target of a CNAME may be in another zone, which the queried server doesn't know. */
  async function followAlias(finding: DnsFinding, question: ZoneQuestion): Promise<DnsFinding> {
    if (!finding.cname || finding.kind === "found") return finding;
    const { kind, records, reason } = await askServer(configured(), RESOLVER, {
      ...question,
      name: finding.cname,
    });
    return { ...finding, kind, records, reason };
  }

  async function askOne(
    zoneOf: (name: string) => Promise<Zone>,
    question: ZoneQuestion,
  ): Promise<DnsFinding[]> {
    const zone = zoneOf(question.name);
    const [own, copy, { isInDns }] = await Promise.all([
      zone.then((zone) => askZone(zone, question)),
      askServer(configured(), RESOLVER, question),
      zone,
    ]);
    const isDoubtful = !isInDns && ["no_name", "no_data"].includes(copy.kind);
    return [...own, isDoubtful ? { ...copy, reason: NO_TOP_LEVEL } : copy];
  }

  async function askAll(questions: ZoneQuestion[]): Promise<DnsFinding[][]> {
    const zoneOf = createZoneCuts(configured());
    return Promise.all(questions.map((question) => within(askOne(zoneOf, question))));
  }
  return {
    ask: async (name, type) => (await askAll([{ name, type }]))[0]!,
    askAll,
    resolver,
  };
}

/** Reason of a denial by a resolver that doesn't even know the servers of the top-level domain. */
export const NO_TOP_LEVEL = "NO_TOP_LEVEL";

const RESOLVER: NameServer = { host: "resolver", address: null };

const failed = ({ host, address }: NameServer, reason: string): DnsFinding => ({
  server: host,
  address,
  kind: "failed",
  records: [],
  cname: null,
  reason,
});

async function askServer(
  dns: NodeResolver,
  { host, address }: NameServer,
  { name, type }: ZoneQuestion,
): Promise<DnsFinding> {
  const [answer, alias] = await Promise.all([
    ask(() => resolveAs[type](dns, name)),
    ask(() => dns.resolveCname(name)),
  ]);
  return {
    server: host,
    address,
    kind: answer.kind,
    records: answer.kind === "found" ? answer.records : [],
    cname: alias.kind === "found" ? alias.records[0]! : null,
    reason: answer.kind === "failed" ? answer.reason : null,
  };
}

const resolveAs = {
  TXT: (dns: NodeResolver, name: string) => dns.resolveTxt(name),
  MX: resolveMx,
  CNAME: async (dns: NodeResolver, name: string) =>
    (await dns.resolveCname(name)).map((target) => [target]),
};

async function resolveMx(dns: NodeResolver, name: string): Promise<string[][]> {
  const records = await dns.resolveMx(name);
  return records
    .sort((one, other) => one.priority - other.priority)
    .map(({ priority, exchange }) => [String(priority), exchange]);
}

async function within(question: Promise<DnsFinding[]>): Promise<DnsFinding[]> {
  const { promise, resolve } = Promise.withResolvers<DnsFinding[]>();
  const timer = setTimeout(() => resolve([failed(RESOLVER, "TIMEOUT")]), ALL_MS_MAX);
  return Promise.race([question, promise]).finally(() => clearTimeout(timer));
}

/** A name server of a zone. `address` is null if its name doesn't resolve. */
type NameServer = { host: string; address: string | null };

/** The zone that contains a name, as far as it can be determined. */
type Zone = {
  servers: NameServer[];
  /** False if an NS query below it failed: the name may be in a delegated zone. */
  isCertain: boolean;
  /**
   * Whether the resolver finds name servers of the zone, or at least of the top-level domain. A resolver
   * that doesn't is behind a captive portal, or broken, and its denials mean nothing.
   */
  isInDns: boolean;
};

/** Per zone. An answer can list many servers, and each name costs two queries. */
const ZONE_CUT_SERVERS_MAX = 16;

/**
 * Finds the deepest zone that contains a name by querying the NS records of the name and each of its
 * parents in parallel. Top-level domains are skipped. Each returned function caches its answers, so create
 * one per check.
 */
function createZoneCuts(dns: NodeResolver): (name: string) => Promise<Zone> {
  const cuts = remember((name: string) => findCut(dns, name));
  const addresses = remember((host: string) => findAddress(dns, host));

  return async (name) => {
    const found = await Promise.all(listParentNames(name).map(cuts));
    const at = found.findIndex(({ kind }) => kind === "found");
    const cut = found[at];
    if (cut?.kind !== "found") {
      const top = await cuts(name.slice(name.lastIndexOf(".") + 1));
      return { servers: [], isCertain: true, isInDns: top.kind === "found" };
    }
    return {
      servers: await Promise.all(
        cut.records
          .slice(0, ZONE_CUT_SERVERS_MAX)
          .map(async (host) => ({ host, address: await addresses(host) })),
      ),
      isCertain: found.slice(0, at).every(({ kind }) => kind !== "failed"),
      isInDns: true,
    };
  };
}

/** `a.b.example.com`, `b.example.com`, `example.com`. */
function listParentNames(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(0, -1).map((_, at) => labels.slice(at).join("."));
}

/** A CNAME at the name would answer with the servers of another zone. */
async function findCut(dns: NodeResolver, name: string): Promise<Answer<string>> {
  const [servers, alias] = await Promise.all([
    ask(() => dns.resolveNs(name)),
    ask(() => dns.resolveCname(name)),
  ]);
  if (servers.kind === "found" && alias.kind === "found") return { kind: "no_data" };
  if (servers.kind !== "found") return servers;
  return { kind: "found", records: servers.records.map(normalHost).sort() };
}

/** IPv4 first, since some hosts have no IPv6 route. */
async function findAddress(dns: NodeResolver, host: string): Promise<string | null> {
  const [four, six] = await Promise.all([
    ask(() => dns.resolve4(host)),
    ask(() => dns.resolve6(host)),
  ]);
  if (four.kind === "found") return four.records[0]!;
  return six.kind === "found" ? six.records[0]! : null;
}

const normalHost = (host: string) => host.toLowerCase().replace(/\.$/, "");

function remember<Answer>(question: (name: string) => Promise<Answer>) {
  const answers = new Map<string, Promise<Answer>>();
  return (name: string): Promise<Answer> => {
    const known = answers.get(name) ?? question(name);
    answers.set(name, known);
    known.catch(() => answers.delete(name));
    return known;
  };
}
