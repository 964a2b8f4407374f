import ipaddr from "ipaddr.js";

import type { Cidr } from "#server/config.ts";

/** Whether an address is in one of `networks`. IPv4-mapped IPv6 addresses count as IPv4. */
export function isInNetworks(text: string | undefined, networks: Cidr[]): boolean {
  if (text === undefined || !ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
}
