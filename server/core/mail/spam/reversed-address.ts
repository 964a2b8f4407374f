import ipaddr from "ipaddr.js";

/**
 * An address as zones are asked about it (RFC 1035, 3.5; RFC 3596, 2.5): `7.100.51.198`, or the 32 hex
 * digits of an IPv6 address with dots between, from the last on. One that stands for an IPv4 address
 * counts as that.
 *
 * @param address a valid one
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
