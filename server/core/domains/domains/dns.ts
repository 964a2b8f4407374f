import { config } from "#server/config.ts";
import { createZoneDns, type ZoneDns } from "#server/gateways/zone-dns.ts";

let current: ZoneDns | undefined;

/** The DNS client for domain checks, created once per process. */
export function domainDns(): ZoneDns {
  const { dnsServers, localMode } = config();
  return (current ??= createZoneDns({ dnsServers, allowPrivate: localMode }));
}
