import ipaddr from "ipaddr.js";

/** Sources that cannot be told apart are one. */
const UNKNOWN = "unknown";

/**
 * The source that an address counts as: an IPv4 address itself; with IPv6 one household or server has a
 * whole /64 to itself.
 */
export function sourceOf(address: string): string {
  if (!ipaddr.isValid(address)) return UNKNOWN;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const network = [...parsed.toByteArray().slice(0, 8), ...Array<number>(8).fill(0)];
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}
