import type { ChallengeType } from "#server/gateways/acme.ts";
import type { Answer, Resolver } from "#server/gateways/dns.ts";
import { probePort } from "#server/gateways/probe-port.ts";

/** Where authorities connect to (RFC 8555, 8.3; RFC 8737, 3). Only tests use other ports. */
export type ChallengePorts = { http: number; tls: number };

export type Choice =
  /** In order of preference. */
  { types: ChallengeType[] } | { obstacle: string };

/**
 * Decides how to prove that a name is ours, or why an order would fail. Authorities allow few failed orders an
 * hour (Let's Encrypt: five per name), so none is placed for a name that doesn't lead here.
 */
export async function chooseChallenges(
  name: string,
  {
    hostname,
    failures,
    hasDnsHook,
    resolver,
    ports,
  }: {
    hostname: string;
    failures: number;
    hasDnsHook: boolean;
    resolver: Resolver;
    ports: ChallengePorts;
  },
): Promise<Choice> {
  if (name === hostname && hasDnsHook) return { types: ["dns-01"] };
  const addresses = await addressesOf(resolver, name);
  if (addresses.length === 0)
    return { obstacle: `${name} has no A or AAAA record that leads to this server` };
  if (name !== hostname) {
    const own = await addressesOf(resolver, hostname);
    if (!addresses.some((address) => own.includes(address)))
      return {
        obstacle: `${name} doesn't lead to this server: publish a CNAME record with ${hostname}`,
      };
  }
  if (hasDnsHook) return { types: ["dns-01"] };
  const [http, tls] = await Promise.all([
    probeAll(addresses, ports.http),
    probeAll(addresses, ports.tls),
  ]);
  if (http === "refused" && tls === "refused")
    return {
      obstacle: `${name} (${addresses.join(", ")}) refuses connections on ports ${ports.http} and ${ports.tls}: open one of them and forward it to the web port`,
    };
  if (http === "refused") return { types: ["tls-alpn-01"] };
  if (tls === "refused") return { types: ["http-01"] };
  // Both may lead here or to something else: alternate.
  return failures % 2 === 0
    ? { types: ["http-01", "tls-alpn-01"] }
    : { types: ["tls-alpn-01", "http-01"] };
}

async function addressesOf(resolver: Resolver, name: string): Promise<string[]> {
  const recordsOf = (answer: Answer<string>) => (answer.kind === "found" ? answer.records : []);
  const answers = await Promise.all([resolver.a(name), resolver.aaaa(name)]);
  return answers.flatMap(recordsOf);
}

/** `refused` only if all addresses refuse. */
async function probeAll(addresses: string[], port: number) {
  const states = await Promise.all(addresses.map((address) => probePort(address, port)));
  return states.every((state) => state === "refused") ? "refused" : "maybe";
}
