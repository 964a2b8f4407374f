import { once } from "node:events";
import type { Server } from "node:http";
import type { Server as TlsServer } from "node:https";
import { createServer, type Server as NetServer, type Socket } from "node:net";

/** The first byte of a TLS handshake record (RFC 8446, 5.1). No HTTP request begins with it. */
const HANDSHAKE = 0x16;

/** One port for HTTP and HTTPS. */
export type WebDoor = {
  listen(port: number, address: string): Promise<void>;
  port(): number;
  /** Stops accepting connections and closes idle ones; resolves when requests in progress are answered. */
  close(): Promise<void>;
  closeIdleConnections(): void;
  closeAllConnections(): void;
};

/**
 * Listens on one port for two servers: connections that begin with a TLS handshake go to `https`, all others to
 * `http`. The same port thus serves browsers and a proxy that terminates TLS.
 *
 * @param firstByteMs how long a client may take to send its first byte
 */
export function createWebDoor(
  { http, https }: { http: Server; https: TlsServer },
  { firstByteMs }: { firstByteMs: number },
): WebDoor {
  const silent = new Set<Socket>();
  const open = new Set<Socket>();
  const door = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    silent.add(socket);
    const giveUp = () => socket.destroy();
    socket.setTimeout(firstByteMs, giveUp);
    socket.on("error", giveUp);
    socket.once("close", () => silent.delete(socket));
    socket.once("data", (bytes) => {
      socket.pause();
      silent.delete(socket);
      socket.setTimeout(0);
      socket.off("timeout", giveUp).off("error", giveUp);
      (bytes[0] === HANDSHAKE ? https : http).emit("connection", socket);
      socket.unshift(bytes);
      process.nextTick(() => socket.resume());
    });
  });
  const servers = [http, https];
  return {
    async listen(port, address) {
      door.listen(port, address);
      await once(door, "listening");
      // The servers start their timeout checks when they listen, which these never do themselves.
      for (const server of servers) server.emit("listening");
    },
    port: () => portOf(door),
    async close() {
      const closed = once(door, "close");
      door.close();
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

function portOf(server: NetServer): number {
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("The web server is not listening");
  return address.port;
}
