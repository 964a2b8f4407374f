import { config } from "#server/config.ts";
import { createOutgoingHttp, type OutgoingHttp } from "#server/gateways/outgoing-http.ts";
import { createZoneDns, type ZoneDns } from "#server/gateways/zone-dns.ts";

let current: ZoneDns | undefined;
let http: OutgoingHttp | undefined;

/** The DNS client for domain checks, created once per process. */
export function domainDns(): ZoneDns {
  const { dnsServers, localMode } = config();
  return (current ??= createZoneDns({ dnsServers, allowPrivate: localMode }));
}

/** For requests to DNS providers. No private address is ever called. */
export const providerHttp = (): OutgoingHttp =>
  (http ??= createOutgoingHttp({ resolver: domainDns().resolver, allowedPrivate: [] }));
