import type { Failure } from "#mail/smtp/outcome.ts";
import { isIP } from "node:net";

import ipaddr from "ipaddr.js";

import type { Relay } from "#server/config.ts";
import type { MailProvider } from "#server/core/platform/monitoring/mail-provider.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import type { Delivery } from "#worker/delivery/delivery.ts";
import { findHostAddresses } from "#worker/delivery/mx/find-host-addresses.ts";
import { createMailHostCache } from "#worker/delivery/mx/mail-host-cache.ts";
import type { Source } from "#worker/delivery/sources/sources.ts";
import type { Peer } from "#mail/smtp/session.ts";

import { findMxDestination, type MailHostOptions } from "./mail-host-destination.ts";

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
      case "lmtp":
        throw new Error("Only mail to other servers has a destination");
      case "relay":
        return relayDestination(route.relay, options.resolver);
      case "mx":
        return findMxDestination(route.domain.toLowerCase(), {
          ...{ ...options, source, mailHosts },
          ...(isTlsOptional && { findPolicy: undefined, tlsaFinder: undefined }),
          isReported: !isTlsOptional,
        });
    }
  };
}

function relayDestination(relay: Relay, resolver: Resolver): Destination {
  return {
    key: `relay ${JSON.stringify(relay)}`,
    ...{ gateKey: null, source: null, isReported: false, hosts: [] },
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
    policy: implicitTls || startTls === "verified" ? "required" : "opportunistic",
    auth,
  };
}
