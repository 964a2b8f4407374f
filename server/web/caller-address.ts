import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

import ipaddr from "ipaddr.js";

import type { Cidr } from "#server/config.ts";
import { isInNetworks } from "#server/gateways/public-address.ts";

/** Caches the peer address of each connection. */
const socketAddresses = new WeakMap<Socket, string>();

/**
 * Returns the client's address: the peer's, or, behind trusted proxies, the last address in `x-forwarded-for` that
 * isn't a trusted proxy. Addresses that a client puts there itself are never used.
 */
export function callerAddress(request: IncomingMessage, trustedProxies: Cidr[]): string {
  let address = peerAddress(request.socket);
  if (trustedProxies.length === 0) return address;
  const header = request.headers["x-forwarded-for"];
  const forwarded = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",");
  while (isInNetworks(address, trustedProxies)) {
    const next = normalizeAddress(forwarded.pop()?.trim() ?? "");
    if (next === null) break;
    address = next;
  }
  return address;
}

/** Whether the connection comes from one of the trusted proxies. */
export const peerIsTrustedProxy = (socket: Socket, trustedProxies: Cidr[]): boolean =>
  trustedProxies.length > 0 && isInNetworks(peerAddress(socket), trustedProxies);

/** Returns the address at the other end of the connection, which may be a proxy's unless that sends PROXY headers. */
export function peerAddress(socket: Socket): string {
  const known = socketAddresses.get(socket);
  if (known !== undefined) return known;
  const address =
    normalizeAddress(proxiedAddress(socket) ?? socket.remoteAddress ?? "") ?? "0.0.0.0";
  socketAddresses.set(socket, address);
  return address;
}

/** Turns IPv4-mapped IPv6 into IPv4, so that a client has one address. */
const normalizeAddress = (text: string): string | null =>
  ipaddr.isValid(text) ? ipaddr.process(text).toString() : null;

/** Client addresses of open connections from proxies, by the proxy's end of the connection. */
const clients = new Map<string, string>();

const connectionOf = ({ remoteAddress, remotePort, localPort }: Socket) =>
  `${remoteAddress} ${remotePort} ${localPort}`;

/** Records the address that a proxy gave for its client, until the connection ends. */
export function recordProxiedAddress(socket: Socket, address: string): void {
  const connection = connectionOf(socket);
  clients.set(connection, address);
  socket.once("close", () => clients.delete(connection));
}

/** The client's address if the connection came through a proxy that gave one. TLS sockets count as their connection. */
const proxiedAddress = (socket: Socket): string | undefined =>
  clients.size === 0 ? undefined : clients.get(connectionOf(socket));
