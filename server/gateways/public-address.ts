import { isIPv4, isIPv6 } from "node:net";

import ipaddr from "ipaddr.js";

import type { Cidr } from "#server/config.ts";

/** Azure's metadata service, at a public address. */
const AZURE_HOST = "168.63.129.16";

/** The range that Internet registries assign (RFC 4291 §2.4); all other IPv6 ranges are for special use. */
const GLOBAL_UNICAST: Cidr = ipaddr.parseCIDR("2000::/3");

/** IPv4 through NAT64 (RFC 6052 §2.1): the last four bytes are the IPv4 address. */
const NAT64: Cidr = ipaddr.parseCIDR("64:ff9b::/96");

/**
 * Whether an address belongs to the public Internet, and not to this machine, a private network, the hosting provider's
 * internal network or a special-use range (RFC 6890 and its registries). IPv6 addresses that embed an IPv4 address are
 * checked as that one, except 6to4 and Teredo, which are never public: the embedded address is hidden behind a relay.
 * Invalid addresses aren't public either.
 *
 * @param allowed ranges to treat as public
 */
export function isPublicAddress(address: string, allowed: Cidr[] = []): boolean {
  const parsed = parse(address);
  if (!parsed) return false;
  const meant = unwrap(parsed);
  if (allowed.some((range) => isWithin(meant, range))) return true;
  if (meant.range() !== "unicast") return false;
  return meant.kind() === "ipv4"
    ? meant.toString() !== AZURE_HOST
    : isWithin(meant, GLOBAL_UNICAST);
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (isIPv4(address)) return ipaddr.IPv4.parse(address);
  // The library reads ::1.2.3.4 as ::ffff:1.2.3.4; URL parsing writes it without dots.
  const url = isIPv6(address) && URL.parse(`http://[${address}]`);
  return url ? ipaddr.IPv6.parse(url.hostname.slice(1, -1)) : null;
}

function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address.kind() === "ipv4") return address;
  const isWrapped = (address as ipaddr.IPv6).isIPv4MappedAddress() || isWithin(address, NAT64);
  return isWrapped ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : address;
}

const isWithin = (address: ipaddr.IPv4 | ipaddr.IPv6, [range, prefixLength]: Cidr): boolean =>
  address.kind() === range.kind() && address.match(range, prefixLength);

/** Whether an address is in one of `networks`. IPv4-mapped IPv6 addresses count as IPv4. */
export function isInNetworks(text: string | undefined, networks: Cidr[]): boolean {
  if (text === undefined || !ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
}
