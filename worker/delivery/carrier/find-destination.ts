import { isIP, isIPv6 } from "node:net";

import ipaddr from "ipaddr.js";

import type { Relay } from "#server/config.ts";
import type { MailProvider } from "#server/core/platform/monitoring/mail-provider.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import type { Route } from "#worker/delivery/delivery.ts";
import { findHostAddresses } from "#worker/delivery/mx/find-host-addresses.ts";
import { type Failure, type MailHost, orderHosts } from "#worker/delivery/mx/find-mail-hosts.ts";
import { createMailHostCache } from "#worker/delivery/mx/mail-host-cache.ts";
import { matchesPolicy } from "#worker/delivery/mx/mta-sts/matches-policy.ts";
import type { PolicyFinder } from "#worker/delivery/mx/mta-sts/policy-finder.ts";
import type { Source } from "#worker/delivery/sources/sources.ts";
import type { Peer } from "#worker/delivery/smtp/open-session.ts";

export type Destination = {
  /** Deliveries with the same key share connections: all domains with the same mail hosts have one key. */
  key: string;
  /** Who runs the preferred mail hosts, if known. All destinations of a provider share limits. */
  provider?: MailProvider | null;
  /** How this server appears to the mail hosts; null for hosts of our own. */
  source: Source | null;
  /** Deliveries with the same gate share the limits that the mail hosts set; null for hosts of our own. */
  gateKey: string | null;
  /** The peers to try, best first, or why one of them is unusable. */
  peers: () => AsyncGenerator<Peer | Failure>;
  /** Whether the lack of a usable host is a permanent failure. Not so for the operator's own smarthost. */
  failsPermanently: boolean;
  /** What requires verified TLS, for the error message. */
  tlsRequiredBy?: string;
};

type Options = {
  /** The provider that runs the mail hosts; null if unknown. */
  findProvider?: (hosts: MailHost[]) => MailProvider | null;
  resolver: Resolver;
  outboundPort: number;
  allowPrivateHosts: boolean;
  /** If omitted, MTA-STS policies are ignored. */
  findPolicy?: PolicyFinder;
};

type MxOptions = Options & { source: Source };

/** Resolves routes to destinations. Mail hosts are looked up at most once a minute for each domain. */
export function createDestinationFinder(options: Options) {
  const mailHosts = createMailHostCache(options.resolver);
  return async (route: Route, source: Source): Promise<Destination | Failure> => {
    switch (route.kind) {
      case "lmtp":
        return storeDestination(route.at);
      case "relay":
        return relayDestination(route.relay, options.resolver);
      case "mx": {
        const domain = route.domain.toLowerCase();
        const [found, policy] = await Promise.all([
          mailHosts(domain),
          options.findPolicy?.(domain),
        ]);
        if (found.kind === "failure") return found.failure;
        return policy?.mode === "enforce"
          ? enforcedDestination(found.hosts, { ...options, source, domain, patterns: policy.mx })
          : mailHostDestination(found.hosts, { ...options, source });
      }
    }
  };
}

/** The store on this machine, or that of another mail host. */
function storeDestination(at: Extract<Route, { kind: "lmtp" }>["at"]): Destination {
  const isHere = "path" in at;
  const common = { lmtp: true, auth: null };
  const peer: Peer = isHere
    ? { ...common, name: "the mailbox store", target: at, tls: "none" }
    : {
        ...common,
        name: `the mailbox store on ${at.host}`,
        target: { host: at.host, port: at.port },
        tls: "link",
        link: at,
      };
  return {
    key: isHere ? `lmtp ${at.path}` : `lmtp ${at.host}:${at.port}`,
    ...{ gateKey: null, source: null },
    async *peers() {
      yield await Promise.resolve(peer);
    },
    failsPermanently: false,
  };
}

function relayDestination(relay: Relay, resolver: Resolver): Destination {
  return {
    key: `relay ${JSON.stringify(relay)}`,
    ...{ gateKey: null, source: null },
    async *peers() {
      const addresses = isIP(relay.host)
        ? [relay.host]
        : await findRelayAddresses(resolver, relay.host);
      for (const host of addresses) yield relayPeer(relay, host);
    },
    failsPermanently: false,
  };
}

/** The operator configured this host, so it may be on a private network or in the hosts file. */
async function findRelayAddresses(resolver: Resolver, host: string): Promise<string[]> {
  const found = await findHostAddresses(resolver, host, { allowPrivateHosts: true });
  return found.kind === "addresses" ? found.addresses : [host];
}

/** The password is only sent over verified TLS, or to this machine. */
function relayPeer({ host: name, port, implicitTls, auth }: Relay, host: string): Peer {
  const staysHere =
    host === "localhost" || (isIP(host) !== 0 && ipaddr.process(host).range() === "loopback");
  const startTls = auth && !staysHere ? "verified" : "opportunistic";
  return {
    name,
    target: { host, port },
    lmtp: false,
    tls: implicitTls ? "implicit" : startTls,
    auth,
  };
}

/**
 * Applies an MTA-STS policy in enforce mode (RFC 8461 §5): only hosts that it names, with verified TLS.
 * Otherwise the mail is delayed: the policy may be wrong, or an attacker may be intercepting.
 */
function enforcedDestination(
  hosts: MailHost[],
  { domain, patterns, ...options }: MxOptions & { domain: string; patterns: string[] },
): Destination | Failure {
  const named = hosts.filter(({ name }) => matchesPolicy(name, patterns));
  if (named.length > 0) return mailHostDestination(named, options, "verified");
  const [{ name }] = hosts as [MailHost];
  const message = `The MTA-STS policy of ${domain} does not list its mail host ${name}`;
  return { result: "delayed", dsn: "4.7.5", message, suppress: false };
}

function mailHostDestination(
  hosts: MailHost[],
  options: MxOptions,
  tls: "opportunistic" | "verified" = "opportunistic",
): Destination {
  const { source } = options;
  const { key, provider } = identify(hosts, options);
  return {
    key: (tls === "verified" ? `${key} verified` : key) + source.suffix,
    ...{ provider, source },
    gateKey: (provider ?? key) + source.suffix,
    failsPermanently: true,
    ...(tls === "verified" && { tlsRequiredBy: "the domain's MTA-STS policy" }),
    async *peers() {
      for (const { name } of orderHosts(hosts)) {
        const found = await findHostAddresses(options.resolver, name, options);
        if (found.kind === "failure") {
          yield found.failure;
          continue;
        }
        const usable = found.addresses.filter((host) => localAddress(source, host) !== null);
        if (usable.length === 0) yield unreachableFrom(source, name, found.addresses);
        for (const host of usable)
          yield {
            ...{ name, ehlo: source.name, lmtp: false, tls, auth: null },
            target: { host, port: options.outboundPort, ...localAddress(source, host) },
          };
      }
    },
  };
}

/** Null if the source can't connect to the host. */
function localAddress(source: Source, host: string): { localAddress?: string } | null {
  const address = isIPv6(host) ? source.ipv6 : source.ipv4;
  if (address === null) return null;
  return address === undefined ? {} : { localAddress: address };
}

/** The host has addresses, but the source can't connect to any of them. */
function unreachableFrom({ name }: Source, host: string, addresses: string[]): Failure {
  const reason = addresses.every(isIPv6)
    ? `${host} has only IPv6 addresses, and ${name} has none with a matching PTR record`
    : `${host} has only IPv4 addresses, and ${name} has none`;
  return { result: "delayed", dsn: "4.4.4", message: reason, suppress: false };
}

type Identity = { key: string; provider: MailProvider | null };

/** By the cached answers of the resolver, for a minute. */
const identities = new WeakMap<MailHost[], Identity>();

function identify(hosts: MailHost[], { findProvider }: Options): Identity {
  const known = identities.get(hosts);
  if (known) return known;
  const names = hosts.map(({ preference, name }) => `${preference} ${name}`).sort();
  const identity = { key: `mx ${names.join(",")}`, provider: findProvider?.(hosts) ?? null };
  identities.set(hosts, identity);
  return identity;
}
