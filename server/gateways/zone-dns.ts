import { Resolver as NodeResolver } from "node:dns/promises";

import type { DnsFinding } from "#drizzle/schema/index.ts";
import type { Config } from "#server/config.ts";

import { ask, createResolver, formatServer, type Resolver } from "./dns.ts";
import { isPublicAddress } from "./public-address.ts";
import { createZoneCuts, type NameServer, type Zone } from "./zone-cuts.ts";

/** Longer lists than this are of mistakes, or of zones that do not take our mail. */
const SERVERS_MAX = 8;

/** Of one question to one server; the second try waits twice as long. */
const PATIENCE = { timeoutMs: 700, tries: 2 };

/** The three steps (zone, addresses, question) take less; this is for what was not thought of. */
const ALL_MS_MAX = 7_000;

export type ZoneQuestion = { name: string; type: "TXT" | "MX" };

/** Asks the servers of the zone itself, so that neither old nor missing copies of others count. */
export type ZoneDns = {
  /**
   * What each server of the zone that holds the name says, then the configured resolver. Where no
   * server of the zone is known it is the resolver alone, and what it denies has the reason
   * `NO_TOP_LEVEL` where it seems to deny everything. Never throws, and takes 5 s, a little more at the
   * very worst.
   */
  ask(name: string, type: ZoneQuestion["type"]): Promise<DnsFinding[]>;
  /** Several questions at once, about names of one domain: its servers are looked up once. */
  askAll(questions: ZoneQuestion[]): Promise<DnsFinding[][]>;
  /** The configured resolver, for everything else. */
  resolver: Resolver;
};

type Options = {
  /** The configured resolver's; null: the system's. */
  dnsServers: Config["dnsServers"];
  /** Where name servers listen. */
  port?: number;
  /** Whether name servers at private and special addresses are asked: local mode, tests. */
  allowPrivate?: boolean;
};

/** The way to domains' own name servers. */
export function createZoneDns({ dnsServers, port = 53, allowPrivate = false }: Options): ZoneDns {
  const resolver = createResolver({ dnsServers }, PATIENCE);
  const configured = () => {
    const dns = new NodeResolver({ timeout: PATIENCE.timeoutMs, tries: PATIENCE.tries });
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
        const dns = new NodeResolver({ timeout: PATIENCE.timeoutMs, tries: PATIENCE.tries });
        dns.setServers([formatServer({ address: server.address, port })]);
        const finding = await askServer(dns, server, question);
        // A server above a cut that cannot be seen denies what it has given away.
        if (!zone.isCertain && ["no_name", "no_data"].includes(finding.kind))
          return failed(server, "DELEGATION");
        return followAlias(finding, question);
      }),
    );
  }

  /** Where an alias leads may be another zone, which the asked server does not know. */
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

/** Reason of a denial by a resolver that does not even know the servers of the top-level domain. */
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
    ask(() => (type === "TXT" ? dns.resolveTxt(name) : resolveMx(dns, name))),
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
