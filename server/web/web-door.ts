import { once } from "node:events";
import type { Server } from "node:http";
import type { Server as TlsServer } from "node:https";
import { createServer, type Server as NetServer, type Socket } from "node:net";

/** The first byte of a TLS record that holds a handshake (RFC 8446, 5.1). No HTTP request begins with it. */
const HANDSHAKE = 0x16;

/** One port for HTTP and HTTPS. */
export type WebDoor = {
  listen(port: number, address: string): Promise<void>;
  /** The port it listens on. */
  port(): number;
  /** Takes no more connections and ends idle ones; resolves when requests in progress are answered. */
  close(): Promise<void>;
  closeIdleConnections(): void;
  closeAllConnections(): void;
};

/**
 * Listens once for two servers: a connection that begins with a TLS handshake goes to `https`, any
 * other one to `http`. So the same port serves browsers and a proxy that ends TLS itself.
 *
 * @param firstByteMs how long a client may say nothing
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
      // They never listen themselves, and begin to look after slow clients when they do.
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
      // The servers know of none that is still in its handshake.
      for (const socket of open) socket.destroy();
    },
  };
}

function portOf(server: NetServer): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The door is not open");
  return address.port;
}
