import { once } from "node:events";
import type { Server } from "node:http";
import type { Server as TlsServer } from "node:https";
import { createServer, type Server as NetServer, type Socket } from "node:net";
import type { Server as AlpnServer } from "node:tls";

import ipaddr from "ipaddr.js";

import type { Cidr } from "#server/config.ts";
import { sourceNetwork } from "#server/core/access/sign-in/throttle.ts";
import { isInNetworks } from "#server/gateways/public-address.ts";
import { readProxyHeader } from "#server/gateways/proxy-header.ts";

import { isAcmeHello } from "./acme-challenge.ts";
import { recordProxiedAddress } from "./caller-address.ts";

/** The first byte of a TLS handshake record (RFC 8446, 5.1). No HTTP request begins with it. */
const HANDSHAKE = 0x16;

/** Ports for both HTTP and HTTPS. */
export type WebListener = {
  listen(ports: number[], address: string): Promise<void>;
  /** The first one. */
  port(): number;
  /** Stops accepting connections and closes idle ones; resolves when requests in progress are answered. */
  close(): Promise<void>;
  closeIdleConnections(): void;
  closeAllConnections(): void;
};

/**
 * Open connections from one IPv4 address or IPv6 /64. More than a large office behind one address or a client that sends in
 * parallel needs, and a small part of the file descriptors of a process.
 */
const PER_NETWORK_MAX = 512;
/** Tools on this machine, or a proxy that isn't configured as one. */
const LOOPBACK = ["127.0.0.0/8", "::1/128"].map((network) => ipaddr.parseCIDR(network));

/** The header of a TLS record; its last two bytes are the length of the rest (RFC 8446, 5.1). */
const RECORD_HEADER_BYTES = 5;
/** RFC 8446, 5.1. A longer one is an error, which the TLS server answers. */
const RECORD_BYTES_MAX = 2 ** 14;

/**
 * Listens on ports for several servers: connections that begin with a TLS handshake go to `https`, or to `alpn` if a
 * certificate authority checks a name, all others to `http`. Each port thus serves browsers and a proxy that
 * terminates TLS.
 *
 * @param firstByteMs how long a client may take to send its first byte, or all of its TLS ClientHello
 * @param proxies networks whose connections must begin with a PROXY header
 * @param trustedProxies networks that may open any number of connections, as loopback may
 * @param perNetworkMax open connections from any other address; more are closed at once
 */
export function createWebListener(
  { http, https, alpn }: { http: Server; https: TlsServer; alpn: AlpnServer },
  {
    firstByteMs,
    proxies = [],
    trustedProxies = [],
    perNetworkMax = PER_NETWORK_MAX,
  }: { firstByteMs: number; proxies?: Cidr[]; trustedProxies?: Cidr[]; perNetworkMax?: number },
): WebListener {
  const serverFor = (seen: Buffer) => {
    if (seen[0] !== HANDSHAKE) return http;
    return isAcmeHello(seen) ? alpn : https;
  };
  const hasRoom = countConnections(perNetworkMax, [...LOOPBACK, ...trustedProxies]);
  const silent = new Set<Socket>();
  const open = new Set<Socket>();
  const admit = (socket: Socket) => {
    open.add(socket);
    silent.add(socket);
    const giveUp = () => socket.destroy();
    socket.on("error", giveUp);
    const patience = setTimeout(giveUp, firstByteMs);
    socket.once("close", () => {
      open.delete(socket);
      silent.delete(socket);
      clearTimeout(patience);
    });
    let seen: Buffer | null = null;
    let awaitsHeader = isInNetworks(socket.remoteAddress, proxies);
    if (!awaitsHeader && !hasRoom(socket, socket.remoteAddress)) {
      giveUp();
      return;
    }
    const route = (bytes: Buffer) => {
      seen = seen ? Buffer.concat([seen, bytes]) : bytes;
      if (awaitsHeader) {
        const header = readProxyHeader(seen);
        if (header === "incomplete") return;
        if (header === "invalid" || (header.address && !hasRoom(socket, header.address))) {
          giveUp();
          return;
        }
        if (header.address) recordProxiedAddress(socket, header.address);
        awaitsHeader = false;
        seen = seen.subarray(header.bytes);
      }
      if (!isFirstRecordComplete(seen)) return;
      socket.pause();
      socket.off("data", route);
      silent.delete(socket);
      clearTimeout(patience);
      socket.off("error", giveUp);
      serverFor(seen).emit("connection", socket);
      socket.unshift(seen);
      process.nextTick(() => socket.resume());
    };
    socket.on("data", route);
  };
  const listeners: NetServer[] = [];
  const servers = [http, https];
  return {
    async listen(ports, address) {
      for (const port of ports) {
        const listener = createServer(admit);
        listeners.push(listener);
        listener.listen(port, address);
        await once(listener, "listening");
      }
      // The servers start their timeout checks when they listen, which these never do themselves.
      for (const server of servers) server.emit("listening");
    },
    port: () => portOf(listeners[0]!),
    async close() {
      const closed = Promise.all(listeners.map((listener) => once(listener, "close")));
      for (const listener of listeners) listener.close();
      for (const socket of silent) socket.destroy();
      for (const server of servers) server.close();
      await closed;
    },
    closeIdleConnections() {
      for (const server of servers) server.closeIdleConnections();
    },
    closeAllConnections() {
      // The servers don't know connections that are still in their handshake.
      for (const socket of open) socket.destroy();
    },
  };
}

/** Returns a function that counts a connection until it is closed, or returns false if its network has too many. */
function countConnections(max: number, exempt: Cidr[]) {
  const counts = new Map<string, number>();
  return (socket: Socket, address = ""): boolean => {
    if (isInNetworks(address, exempt)) return true;
    const network = sourceNetwork(address);
    const count = counts.get(network) ?? 0;
    if (count >= max) return false;
    counts.set(network, count + 1);
    socket.once("close", () => {
      const left = counts.get(network)! - 1;
      if (left === 0) counts.delete(network);
      else counts.set(network, left);
    });
    return true;
  };
}

/** A ClientHello may come in several segments. Anything else is routed by its first byte. */
function isFirstRecordComplete(seen: Buffer): boolean {
  if (seen.length === 0) return false;
  if (seen[0] !== HANDSHAKE) return true;
  if (seen.length < RECORD_HEADER_BYTES) return false;
  const length = seen.readUInt16BE(3);
  return length > RECORD_BYTES_MAX || seen.length >= RECORD_HEADER_BYTES + length;
}

function portOf(server: NetServer): number {
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("The web server is not listening");
  return address.port;
}
