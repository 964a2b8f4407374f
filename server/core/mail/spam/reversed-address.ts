import ipaddr from "ipaddr.js";

/**
 * Reverses an address for DNS lookups (RFC 1035, 3.5; RFC 3596, 2.5): `7.100.51.198`, or the 32 reversed hex digits of
 * an IPv6 address separated by dots. Treats IPv4-mapped addresses as IPv4.
 *
 * @param address must be valid
 */
export function reversedAddress(address: string): {
  labels: string;
  zone: "in-addr.arpa" | "ip6.arpa";
} {
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4")
    return { labels: parsed.toString().split(".").reverse().join("."), zone: "in-addr.arpa" };
  const digits = parsed.toByteArray().map((byte) => byte.toString(16).padStart(2, "0"));
  return { labels: digits.join("").match(/./g)!.reverse().join("."), zone: "ip6.arpa" };
}
