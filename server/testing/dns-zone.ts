import { createZoneDns, type ZoneDns } from "#server/gateways/zone-dns.ts";

import { aDnsServer, type FakeDns } from "./fake-dns.ts";

/** The zone's two name servers, and a configured resolver that only knows where they are. */
export type DnsZone = {
  first: FakeDns;
  second: FakeDns;
  resolver: FakeDns;
  dns: ZoneDns;
  /** Makes the two servers the name servers of a domain. */
  delegate(name: string): void;
  close(): Promise<void>;
};

/** Starts name servers on loopback. The zone has no records. */
export async function aDnsZone(): Promise<DnsZone> {
  const first = await aDnsServer({}, { address: "127.0.0.2" });
  const second = await aDnsServer({}, { address: "127.0.0.3", port: first.port });
  const resolver = await aDnsServer({
    "ns1.host.test": { A: ["127.0.0.2"] },
    "ns2.host.test": { A: ["127.0.0.3"] },
  });
  const dns = createZoneDns({ dnsServers: [resolver], port: first.port, allowPrivate: true });
  return {
    first,
    second,
    resolver,
    dns,
    delegate(name) {
      resolver.records[name] = { NS: ["ns1.host.test", "ns2.host.test"] };
    },
    async close() {
      await Promise.all([first, second, resolver].map((server) => server.close()));
    },
  };
}
