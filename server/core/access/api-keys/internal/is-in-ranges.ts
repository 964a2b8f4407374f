import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

type Range = [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** Parsed ranges, cached because every request of a company checks the same ones. */
const parsedRanges = new LRUCache<string, Range>({ max: 10_000, memoMethod: readRange });

/**
 * Whether an IP address is in one of `ranges`, each an address or a CIDR range. IPv4-mapped IPv6 addresses
 * (RFC 4291 §2.5.5.2) count as IPv4 on both sides.
 */
export function isInRanges(address: string, ranges: string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const caller = ipaddr.process(address);
  return ranges
    .map((text) => parsedRanges.memo(text))
    .some(([network, bits]) => network.kind() === caller.kind() && caller.match(network, bits));
}

function readRange(text: string): Range {
  if (!text.includes("/")) {
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  }
  const [network, bits] = ipaddr.parseCIDR(text);
  const isMapped = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [network.toIPv4Address(), bits - 96] : [network, bits];
}
