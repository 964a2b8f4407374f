import type { Resolver as NodeResolver } from "node:dns/promises";

import { type Answer, ask } from "./dns.ts";

/** A name server of a zone. `address` is null if its name doesn't resolve. */
export type NameServer = { host: string; address: string | null };

/** The zone that contains a name, as far as it can be determined. */
export type Zone = {
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
const SERVERS_MAX = 16;

/**
 * Finds the deepest zone that contains a name by querying the NS records of the name and each of its
 * parents in parallel. Top-level domains are skipped. Each returned function caches its answers, so create
 * one per check.
 */
export function createZoneCuts(dns: NodeResolver): (name: string) => Promise<Zone> {
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
          .slice(0, SERVERS_MAX)
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
