import { isIPv4, isIPv6 } from "node:net";

import ipaddr from "ipaddr.js";

import type { Cidr } from "#server/config.ts";

/** A public address by its number, and yet Azure's door to a machine's own settings. */
const AZURE_HOST = "168.63.129.16";

/** What the Internet registries give out (RFC 4291 §2.4): the rest of IPv6 is for some special use. */
const GLOBAL_UNICAST: Cidr = ipaddr.parseCIDR("2000::/3");

/** How IPv4 is reached through a translator (RFC 6052 §2.1): the last four bytes are the address. */
const NAT64: Cidr = ipaddr.parseCIDR("64:ff9b::/96");

/**
 * Whether the address belongs to a machine of the open Internet, and not to this machine, its network,
 * its hoster's inside, or to a range kept for some special use (RFC 6890 and its registries). An IPv6
 * address that stands for an IPv4 one is judged as that one; 6to4 and Teredo, which end at whichever
 * machine the address hides, are never public. What is no address is not public either.
 *
 * @param allowed ranges that count as public all the same
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
  // The library reads ::1.2.3.4 as ::ffff:1.2.3.4; a URL spells it without dots.
  const url = isIPv6(address) && URL.parse(`http://[${address}]`);
  return url ? ipaddr.IPv6.parse(url.hostname.slice(1, -1)) : null;
}

function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address.kind() === "ipv4") return address;
  const isWrapped = (address as ipaddr.IPv6).isIPv4MappedAddress() || isWithin(address, NAT64);
  return isWrapped ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : address;
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [range, prefixLength]: Cidr): boolean {
  return address.kind() === range.kind() && address.match(range, prefixLength);
}
