import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

import ipaddr from "ipaddr.js";

import type { Cidr } from "#server/config.ts";

/** The address at the other end of each connection, read once however many requests it carries. */
const socketAddresses = new WeakMap<Socket, string>();

/**
 * The address of who is calling: the socket's, or, behind trusted proxies, the last address of
 * `x-forwarded-for` that is not one of them. What a client writes there itself never counts.
 */
export function callerAddress(request: IncomingMessage, trustedProxies: Cidr[]): string {
  let address = socketAddress(request.socket);
  if (trustedProxies.length === 0) return address;
  const header = request.headers["x-forwarded-for"];
  const forwarded = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",");
  while (isTrusted(address, trustedProxies)) {
    const next = normal(forwarded.pop()?.trim() ?? "");
    if (next === null) break;
    address = next;
  }
  return address;
}

function socketAddress(socket: Socket): string {
  const known = socketAddresses.get(socket);
  if (known !== undefined) return known;
  const address = normal(socket.remoteAddress ?? "") ?? "0.0.0.0";
  socketAddresses.set(socket, address);
  return address;
}

/** IPv4-mapped IPv6 becomes IPv4, so that one caller has one address. */
function normal(text: string): string | null {
  return ipaddr.isValid(text) ? ipaddr.process(text).toString() : null;
}

function isTrusted(text: string, trustedProxies: Cidr[]): boolean {
  const address = ipaddr.parse(text);
  return trustedProxies.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
}
