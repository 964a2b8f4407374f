import { isIP, isIPv6 } from "node:net";

import ipaddr from "ipaddr.js";

import type { Failure } from "#mail/smtp/outcome.ts";
import type { Peer } from "#mail/smtp/session.ts";
import { formatTls, hasTrustAnchor } from "#mail/smtp/tls.ts";
import type { Relay } from "#server/config.ts";
import { type MxHost, orderHosts } from "#server/core/mail/mail-hosts/find-mail-hosts.ts";
import type { MailProvider } from "#server/core/platform/monitoring/mail-provider.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import type { Delivery } from "#worker/delivery/delivery.ts";
import { createMailHostCache, findHostAddresses } from "#worker/delivery/mx/mail-hosts.ts";
import { matchesPolicy, type PolicyFinder, type PolicyTerms } from "#worker/delivery/mx/mta-sts.ts";
import type { MxSecurity, TlsaAnswer, TlsaFinder } from "#worker/delivery/mx/tlsa-finder.ts";
import type { Source } from "#worker/delivery/sources.ts";

export type Destination = {
  /** Deliveries with the same key share connections: all domains with the same mail servers have one key. */
  key: string;
  /** Who runs the preferred mail servers, if known. All destinations of a provider share limits. */
  provider?: MailProvider | null;
  /** How this server appears to the mail servers; null for hosts of our own. */
  source: Source | null;
  /** Deliveries with the same gate share the limits that the mail servers set; null for hosts of our own. */
  gateKey: string | null;
  /** The peers to try, best first, or why one of them is unusable. */
  peers: () => AsyncGenerator<Peer | Failure>;
  /** The names of all mail servers; empty where there is one. */
  hosts: string[];
  /** Whether connections count in TLS reports. */
  isReported: boolean;
  /** Whether the lack of a usable host is a permanent failure. Not so for the operator's own smarthost. */
  failsPermanently: boolean;
};

/** Resolves routes to destinations. Mail servers are looked up at most once a minute for each domain. */
export function createDestinationFinder(options: MailHostOptions) {
  const mailHosts = createMailHostCache(options.resolver);
  return async (
    { route, isTlsOptional = false }: Pick<Delivery, "route" | "isTlsOptional">,
    source: Source,
  ): Promise<Destination | Failure> => {
    switch (route.kind) {
      case "simulated":
        throw new Error("A test email can't be sent");
      case "lmtp":
        throw new Error("Local mail has no SMTP destination");
      case "relay":
        return relayDestination(route.relay, options.resolver);
      case "mx":
        return findMxDestination(route.domain.toLowerCase(), {
          ...options,
          source,
          mailHosts,
          ...(isTlsOptional && { findPolicy: undefined, tlsaFinder: undefined }),
          isReported: !isTlsOptional,
        });
    }
  };
}

const relayDestination = (relay: Relay, resolver: Resolver): Destination => ({
  key: `relay ${JSON.stringify(relay)}`,
  gateKey: null,
  source: null,
  isReported: false,
  hosts: [],
  async *peers() {
    const addresses = isIP(relay.host)
      ? [relay.host]
      : await findRelayAddresses(resolver, relay.host);
    for (const host of addresses) yield relayPeer(relay, host);
  },
  failsPermanently: false,
});

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
    policy: implicitTls || startTls === "verified" ? "required" : "opportunistic",
    auth,
  };
}

type MailHostOptions = {
  /** The provider that runs the mail servers; null if unknown. */
  findProvider?: (hosts: MxHost[]) => MailProvider | null;
  resolver: Resolver;
  outboundPort: number;
  allowPrivateHosts: boolean;
  /** If omitted, MTA-STS policies are ignored. */
  findPolicy?: PolicyFinder | undefined;
  /** If omitted, TLSA records are ignored. */
  tlsaFinder?: TlsaFinder | undefined;
};

type MxOptions = MailHostOptions & {
  source: Source;
  /** Whether connections count in TLS reports. */
  isReported: boolean;
  mailHosts: ReturnType<typeof createMailHostCache>;
};

/**
 * The mail servers of a domain, or why mail to it must wait.
 *
 * @param domain in lowercase
 */
async function findMxDestination(
  domain: string,
  options: MxOptions,
): Promise<Destination | Failure> {
  const { mailHosts, findPolicy, tlsaFinder } = options;
  const [found, mtaSts, security] = await Promise.all([
    mailHosts(domain),
    findPolicy?.(domain),
    tlsaFinder?.mxSecurity(domain),
  ]);
  if (found.kind === "failure") return found.failure;
  if (security?.kind === "failed") return insecureFailure(domain, security.reason);
  const { hosts } = found;
  const dane = await lookUpTlsa(tlsaFinder, security, { domain, hosts });
  if (!dane && (!mtaSts || mtaSts.mode === "none")) return mailHostDestination(hosts, options);
  const policies = { domain, mtaSts, dane };
  return policyDestination(hosts, options, (name) => hostTerms(name, policies));
}

const insecureFailure = (domain: string, reason: string): Failure => ({
  result: "delayed",
  dsn: "4.4.3",
  suppress: false,
  message: `The mail servers of ${domain} could not be looked up: ${reason}`,
});

/**
 * The hosts that the policies allow. Without any, mail is delayed: the policy may be wrong, or an attacker may be
 * intercepting.
 */
function policyDestination(
  hosts: MxHost[],
  options: MxOptions,
  termsOf: (name: string) => HostTerms,
): Destination | Failure {
  const found = new Map(hosts.map(({ name }) => [name, termsOf(name)]));
  const [first] = found.values();
  if (first && "failure" in first && [...found.values()].every((terms) => "failure" in terms))
    return first.failure;
  const isListed = (terms: HostTerms) => !("failure" in terms && terms.isUnlisted);
  const listed = hosts.filter(({ name }) => isListed(found.get(name)!));
  return mailHostDestination(listed, options, (name) => found.get(name)!);
}

function mailHostDestination(
  hosts: MxHost[],
  options: MxOptions,
  termsOf?: (name: string) => HostTerms,
): Destination {
  const { source, isReported } = options;
  const { key, provider } = identify(hosts, options);
  const keys = termsOf && hosts.map(({ name }) => `${name} ${termsOf(name).key}`).sort();
  return {
    // Connections of both kinds must not be shared.
    key: `${key}${keys ? ` ${keys.join(",")}` : ""}${source.suffix}${isReported ? "" : " unreported"}`,
    provider,
    source,
    isReported,
    gateKey: (provider ?? key) + source.suffix,
    failsPermanently: true,
    hosts: hosts.map(({ name }) => name),
    async *peers() {
      for (const { name } of orderHosts(hosts)) {
        const found = await findHostAddresses(options.resolver, name, options);
        if (found.kind === "failure") {
          yield found.failure;
          continue;
        }
        const terms = termsOf?.(name) ?? OPPORTUNISTIC;
        if ("failure" in terms) {
          yield terms.failure;
          continue;
        }
        const usable = found.addresses.filter((host) => localAddress(source, host) !== null);
        const obstacle = findObstacle(source, name, found.addresses);
        if (obstacle) yield obstacle;
        for (const host of usable)
          yield {
            name,
            ehlo: source.name,
            lmtp: false,
            auth: null,
            ...terms.terms,
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

/**
 * Why the source can't connect to any of the host's addresses. IPv4 is tried even where the system seems to lack it: it
 * may have come back.
 */
function findObstacle(source: Source, host: string, addresses: string[]): Failure | null {
  const { name } = source;
  const lacksIpv4 = source.ipv4 === null || source.isWithoutIpv4;
  const [six, four] = [addresses.filter(isIPv6), addresses.filter((one) => !isIPv6(one))];
  if (six.length > 0 && source.ipv6 !== null) return null;
  if (four.length > 0 && !lacksIpv4) return null;
  if (six.length === 0) return unreachable(`${host} has only IPv4 addresses, and ${name} has none`);
  if (four.length === 0)
    return unreachable(
      `${host} has only IPv6 addresses, and ${name} has none with a matching PTR record`,
    );
  return unreachable(`${name} has no IPv4 address, and no IPv6 address with a matching PTR record`);
}

const unreachable = (message: string): Failure => ({
  result: "delayed",
  dsn: "4.4.4",
  message,
  suppress: false,
});

type Identity = { key: string; provider: MailProvider | null };

/** By the cached answers of the resolver, for a minute. */
const identities = new WeakMap<MxHost[], Identity>();

function identify(hosts: MxHost[], { findProvider }: MailHostOptions): Identity {
  const known = identities.get(hosts);
  if (known) return known;
  const names = hosts.map(({ preference, name }) => `${preference} ${name}`).sort();
  const identity = { key: `mx ${names.join(",")}`, provider: findProvider?.(hosts) ?? null };
  identities.set(hosts, identity);
  return identity;
}

/** How a mail server must be connected to, or why it must not. */
type HostTerms = (
  | { terms: Pick<Peer, "tls" | "policy" | "dane" | "isUnlisted"> }
  /** `isUnlisted`: the domain's policy doesn't list the host, so it isn't tried at all. */
  | { failure: Failure; isUnlisted: boolean }
) & {
  /** Connections with the same terms can be shared by domains. */
  key: string;
};

const OPPORTUNISTIC: HostTerms = {
  terms: { tls: "opportunistic", policy: "opportunistic" },
  key: "",
};

type Policies = {
  domain: string;
  mtaSts: PolicyTerms | null | undefined;
  /** Null: DANE doesn't apply. */
  dane: { names: string[]; hosts: Map<string, TlsaAnswer> } | null;
};

/** Looks up the TLSA records of a domain's mail servers, if its MX records are secure. */
async function lookUpTlsa(
  finder: TlsaFinder | undefined,
  security: MxSecurity | undefined,
  { domain, hosts }: { domain: string; hosts: MxHost[] },
): Promise<Policies["dane"]> {
  if (!finder || security?.kind !== "secure") return null;
  const answers = await Promise.all(
    hosts.map(async ({ name }) => [name, await finder.tlsa(name)] as const),
  );
  return { names: [domain, security.name], hosts: new Map(answers) };
}

/** Returns the terms of one host. TLSA records count before an MTA-STS policy (RFC 8461, 2). */
function hostTerms(host: string, policies: Policies): HostTerms {
  const { domain, mtaSts, dane } = policies;
  const tlsa = dane?.hosts.get(host);
  if (tlsa?.kind === "failed") return unknownTlsa(host, tlsa.reason);
  if (dane && tlsa?.kind === "found") return daneTerms(tlsa, [host, ...dane.names], domain);
  return mtaSts && mtaSts.mode !== "none" ? mtaStsTerms(host, mtaSts, domain) : OPPORTUNISTIC;
}

function daneTerms(
  { base, records }: Extract<TlsaAnswer, { kind: "found" }>,
  names: string[],
  domain: string,
): HostTerms {
  const dane = { base, records, names: [...new Set([base, ...names])] };
  // The certificate of a trust anchor may be for the recipients' domain only.
  const key = hasTrustAnchor(dane) ? `dane ${domain}` : "dane";
  return { terms: { tls: "dane", policy: "dane", dane }, key };
}

function mtaStsTerms(host: string, { mode, mx }: PolicyTerms, domain: string): HostTerms {
  const isListed = matchesPolicy(host, mx);
  if (mode === "testing") return tested(isListed);
  return isListed
    ? { terms: { tls: "verified", policy: "mta-sts" }, key: "verified" }
    : unlisted(host, domain);
}

/** Delivers like without a policy, and only records what the policy would have rejected (RFC 8461, 5). */
function tested(isListed: boolean): HostTerms {
  const terms = { tls: "opportunistic", policy: "mta-sts-testing" } as const;
  return isListed
    ? { terms, key: "testing" }
    : { terms: { ...terms, isUnlisted: true }, key: "testing unlisted" };
}

function unknownTlsa(host: string, reason: string): HostTerms {
  const message = `The TLSA records of ${host} could not be looked up: ${reason}`;
  const tls = formatTls({ policy: "dane", result: "dnssec-invalid", encryption: null });
  return { failure: delayed(message, tls), isUnlisted: false, key: "unknown" };
}

function unlisted(host: string, domain: string): HostTerms {
  const message = `The MTA-STS policy of ${domain} does not list its mail server ${host}`;
  const tls = formatTls({ policy: "mta-sts", result: "validation-failure", encryption: null });
  return { failure: delayed(message, tls), isUnlisted: true, key: "unlisted" };
}

const delayed = (message: string, tls: string): Failure => ({
  result: "delayed",
  dsn: "4.7.5",
  message,
  suppress: false,
  tls,
});
