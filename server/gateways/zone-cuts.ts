import type { Resolver as NodeResolver } from "node:dns/promises";

import { type Answer, ask } from "./dns.ts";

/** A name server of a zone. `address` is null when its name leads nowhere. */
export type NameServer = { host: string; address: string | null };

/** The zone that a name belongs to, as far as it can be seen from here. */
export type Zone = {
  servers: NameServer[];
  /** Not when somewhere below it the question for servers failed: the name may have been given away. */
  isCertain: boolean;
  /**
   * Whether the resolver knows servers of the zone, or of the top-level domain at least. One that does
   * not denies whatever it is asked: it stands behind a captive portal, or is broken.
   */
  isInDns: boolean;
};

/** Of one zone: a list may be as long as an answer can be, and each name costs two questions. */
const SERVERS_MAX = 16;

/**
 * Finds the deepest zone that holds a name by asking for the NS records of the name and of each name
 * above it, all at once. Top-level domains are left out: they hold nothing of what is looked for.
 * What one such function has learnt it keeps, so it is made anew for every occasion.
 */
export function createZoneCuts(dns: NodeResolver): (name: string) => Promise<Zone> {
  const cuts = remember((name: string) => findCut(dns, name));
  const addresses = remember((host: string) => findAddress(dns, host));

  return async (name) => {
    const found = await Promise.all(namesUpwards(name).map(cuts));
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
function namesUpwards(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(0, -1).map((_, at) => labels.slice(at).join("."));
}

/** An alias at the name would answer with the servers of another zone. */
async function findCut(dns: NodeResolver, name: string): Promise<Answer<string>> {
  const [servers, alias] = await Promise.all([
    ask(() => dns.resolveNs(name)),
    ask(() => dns.resolveCname(name)),
  ]);
  if (servers.kind === "found" && alias.kind === "found") return { kind: "no_data" };
  if (servers.kind !== "found") return servers;
  return { kind: "found", records: servers.records.map(normalHost).sort() };
}

/** IPv4 first: not every machine that runs us has a way to IPv6. */
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
