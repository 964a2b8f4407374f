import ipaddr from "ipaddr.js";

import { isPublicAddress } from "#server/gateways/public-address.ts";

/**
 * The network that limits apply to: an IPv4 address, or the /64 of an IPv6 address. Null for addresses that
 * are not public, such as a filter, a proxy or this machine, which may deliver all mail.
 */
export function toNetwork(address: string): string | null {
  if (!ipaddr.isValid(address)) return address;
  if (!isPublicAddress(address)) return null;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4" ? parsed.toString() : parsed.toByteArray().slice(0, 8).join(".");
}

/** The wider network of an address: the /16 for IPv4, the /48 for IPv6. */
export function toWideNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  return bytes.slice(0, parsed.kind() === "ipv4" ? 2 : 6).join(".");
}
