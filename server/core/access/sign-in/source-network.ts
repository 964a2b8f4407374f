import ipaddr from "ipaddr.js";

/** Invalid addresses share one source. */
const UNKNOWN = "unknown";

/**
 * The source that attempts from an address are counted under: the address itself for IPv4, the /64 for IPv6,
 * which usually belongs to one household or server.
 */
export function sourceNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return UNKNOWN;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const network = [...parsed.toByteArray().slice(0, 8), ...Array<number>(8).fill(0)];
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}
