import { createSocket } from "node:dgram";
import { once } from "node:events";

import { isPublicAddress } from "./public-address.ts";

/** Documentation addresses (RFC 5737, RFC 3849): routed like any other, but never assigned. */
const DOCUMENTATION_ADDRESSES = [
  { family: "udp4", address: "192.0.2.1" },
  { family: "udp6", address: "2001:db8::1" },
] as const;
const DISCARD_PORT = 9;

/**
 * The public source addresses of this machine's connections; none behind NAT. Sends nothing: it only queries
 * the system's routing table.
 */
export async function outgoingAddresses(): Promise<string[]> {
  const found = await Promise.all(
    DOCUMENTATION_ADDRESSES.map(({ family, address }) => findSourceAddress(family, address)),
  );
  return found.filter((address) => address !== null && isPublicAddress(address)) as string[];
}

async function findSourceAddress(family: "udp4" | "udp6", address: string): Promise<string | null> {
  const socket = createSocket(family);
  try {
    socket.connect(DISCARD_PORT, address);
    await once(socket, "connect");
    return socket.address().address;
  } catch {
    return null;
  } finally {
    socket.close();
  }
}
