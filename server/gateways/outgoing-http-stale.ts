import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

import type { buildConnector } from "undici";

/** Bytes that a connection had read when its newest request was sent. */
const readBefore = new WeakMap<Socket, number>();

/** Errors that ended a request on a stale connection. */
const stale = new WeakSet<Error>();

subscribe("undici:client:sendHeaders", (message) => {
  const { socket } = message as { socket: Socket };
  readBefore.set(socket, socket.bytesRead);
});

/**
 * Whether the request failed because the server closed a reused connection just as the request was sent: it
 * had answered on it before, and not a byte came back. Such a close says nothing about the server, which
 * may close idle connections at any time (RFC 9112 §9.5).
 *
 * @param error as thrown by the client, for a connection that `watchForStale` made
 */
export const isStale = (error: unknown): boolean => error instanceof Error && stale.has(error);

/** Wraps the connector so that `isStale` recognizes its connections. */
export const watchForStale =
  (connect: buildConnector.connector): buildConnector.connector =>
  (target, callback) =>
    connect(target, (...result) => {
      const [, socket] = result;
      socket?.on("error", (error: Error) => {
        const before = readBefore.get(socket) ?? 0;
        if (before > 0 && socket.bytesRead === before) stale.add(error);
      });
      callback(...result);
    });
