import { config } from "#server/config.ts";
import { createZoneDns, type ZoneDns } from "#server/gateways/zone-dns.ts";

let current: ZoneDns | undefined;

/** The way to domains' name servers, made once from the configuration of this process. */
export function domainDns(): ZoneDns {
  const { dnsServers, localMode } = config();
  return (current ??= createZoneDns({ dnsServers, allowPrivate: localMode }));
}
