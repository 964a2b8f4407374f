import ipaddr from "ipaddr.js";

type Range = [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** Parsed ranges, cached because every request of a company checks the same ones. */
const parsedRanges = new Map<string, Range>();
const PARSED_RANGES_MAX = 10_000;

/**
 * Whether an IP address is in one of `ranges`, each an address or a CIDR range. IPv4-mapped IPv6 addresses
 * (RFC 4291 §2.5.5.2) count as IPv4 on both sides.
 */
export function isInRanges(address: string, ranges: string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const caller = ipaddr.process(address);
  return ranges
    .map(parseCached)
    .some(([network, bits]) => network.kind() === caller.kind() && caller.match(network, bits));
}

function parseCached(text: string): Range {
  const known = parsedRanges.get(text);
  if (known) return known;
  if (parsedRanges.size >= PARSED_RANGES_MAX) parsedRanges.clear();
  const range = readRange(text);
  parsedRanges.set(text, range);
  return range;
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
