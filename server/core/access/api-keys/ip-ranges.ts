import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

/**
 * Parses an IP address or CIDR range into canonical form: IPv6 as in RFC 5952, host bits cleared, a range of
 * one address as that address, IPv4-mapped IPv6 as IPv4. Returns null for anything else, including short and
 * octal IPv4, which programs read differently, and zoned addresses.
 */
export function readRange(text: string): string | null {
  const [address = "", length, ...more] = text.split("/");
  const network = readAddress(address);
  if (!network || more.length > 0) return null;
  const whole = network instanceof ipaddr.IPv4 ? 32 : 128;
  const bits = length === undefined ? whole : readLength(length, whole);
  if (bits === null) return null;
  const isMapped = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? formatRange(network.toIPv4Address(), bits - 96) : formatRange(network, bits);
}

function readAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  const isIpv6 = text.includes(":") && !text.includes("%") && ipaddr.IPv6.isValid(text);
  return isIpv6 ? ipaddr.IPv6.parse(text) : null;
}

function readLength(text: string, max: number): number | null {
  const bits = /^\d{1,3}$/.test(text) ? Number(text) : Infinity;
  return bits <= max ? bits : null;
}

function formatRange(network: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  if (network instanceof ipaddr.IPv4)
    return bits === 32
      ? network.toString()
      : `${ipaddr.IPv4.networkAddressFromCIDR(`${network.toString()}/${bits}`).toString()}/${bits}`;
  const cidr = `${network.toNormalizedString()}/${bits}`;
  return bits === 128
    ? network.toRFC5952String()
    : `${ipaddr.IPv6.networkAddressFromCIDR(cidr).toRFC5952String()}/${bits}`;
}

/** Whether one of the ranges contains all addresses of `range`; all in canonical form. */
export function isRangeInRanges(range: string, ranges: string[]): boolean {
  const [network, bits] = parseCidr(range);
  return ranges.some((other) => {
    const [outer, outerBits] = parseCidr(other);
    return outer.kind() === network.kind() && outerBits <= bits && network.match(outer, outerBits);
  });
}

function parseCidr(range: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (range.includes("/")) return ipaddr.parseCIDR(range);
  const address = ipaddr.parse(range);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

type Range = [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** Parsed ranges, cached because every request of a company checks the same ones. */
const parsedRanges = new LRUCache<string, Range>({ max: 10_000, memoMethod: toSubnet });

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

function toSubnet(text: string): Range {
  if (!text.includes("/")) {
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  }
  const [network, bits] = ipaddr.parseCIDR(text);
  const isMapped = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [network.toIPv4Address(), bits - 96] : [network, bits];
}
