import type { ChallengeType } from "#server/gateways/acme.ts";
import type { Answer, Resolver } from "#server/gateways/dns.ts";
import { probePort } from "#server/gateways/probe-port.ts";

/** Where authorities connect to (RFC 8555, 8.3; RFC 8737, 3). Only tests use other ports. */
export type ChallengePorts = { http: number; tls: number };

type Choice =
  /** In order of preference. */
  { types: ChallengeType[] } | { obstacle: string };

/**
 * Decides how to prove that a name is ours, or why an order would fail. Authorities allow few failed orders an
 * hour (Let's Encrypt: five per name), so none is placed for a name that doesn't point to this server.
 */
export async function chooseChallenges(name: string, options: Options): Promise<Choice> {
  const { hostname, hasDnsHook, resolver } = options;
  if (name === hostname && hasDnsHook) return { types: ["dns-01"] };
  const addresses = await addressesOf(resolver, name);
  if (addresses.length === 0)
    return { obstacle: `${name} has no A or AAAA record that points to this server` };
  const own = name === hostname ? addresses : await addressesOf(resolver, hostname);
  if (!addresses.some((address) => own.includes(address)))
    return {
      obstacle: `${name} doesn't point to this server: publish a CNAME record with the value ${hostname}`,
    };
  if (hasDnsHook) return { types: ["dns-01"] };
  return chooseByPorts(name, addresses, options);
}

type Options = {
  hostname: string;
  /** Failed orders in a row. */
  failures: number;
  hasDnsHook: boolean;
  resolver: Resolver;
  ports: ChallengePorts;
};

async function chooseByPorts(
  name: string,
  addresses: string[],
  { ports, failures }: Options,
): Promise<Choice> {
  const [isHttpClosed, isTlsClosed] = await Promise.all([
    isClosed(addresses, ports.http),
    isClosed(addresses, ports.tls),
  ]);
  if (isHttpClosed && isTlsClosed)
    return {
      obstacle: `${name} (${addresses.join(", ")}) refuses connections on ports ${ports.http} and ${ports.tls}: open one of them and forward it to the web port`,
    };
  if (isHttpClosed) return { types: ["tls-alpn-01"] };
  if (isTlsClosed) return { types: ["http-01"] };
  // Both may reach this server or another one: alternate.
  return failures % 2 === 0
    ? { types: ["http-01", "tls-alpn-01"] }
    : { types: ["tls-alpn-01", "http-01"] };
}

async function addressesOf(resolver: Resolver, name: string): Promise<string[]> {
  const recordsOf = (answer: Answer<string>) => (answer.kind === "found" ? answer.records : []);
  const answers = await Promise.all([resolver.a(name), resolver.aaaa(name)]);
  return answers.flatMap(recordsOf);
}

async function isClosed(addresses: string[], port: number): Promise<boolean> {
  const states = await Promise.all(addresses.map((address) => probePort(address, port)));
  return states.every((state) => state === "refused");
}
