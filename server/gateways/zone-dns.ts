import { Resolver as NodeResolver } from "node:dns/promises";

import type { DnsFinding } from "#drizzle/schema/index.ts";
import type { Config } from "#server/config.ts";

import { ask, createResolver, formatServer, type Resolver } from "./dns.ts";
import { isPublicAddress } from "./public-address.ts";
import { createZoneCuts, type NameServer, type Zone } from "./zone-cuts.ts";

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

function failed({ host, address }: NameServer, reason: string): DnsFinding {
  return { server: host, address, kind: "failed", records: [], cname: null, reason };
}

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
