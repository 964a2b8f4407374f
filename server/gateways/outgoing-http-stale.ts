import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

import type { buildConnector } from "undici";

/** What a connection had read when its newest request was sent on it. */
const readBefore = new WeakMap<Socket, number>();

/** Errors that ended a request on a stale connection. */
const stale = new WeakSet<Error>();

subscribe("undici:client:sendHeaders", (message) => {
  const { socket } = message as { socket: Socket };
  readBefore.set(socket, socket.bytesRead);
});

/**
 * Whether the request ended because the server closed a kept connection at the moment when it was sent: it
 * had answered on it before, and not a byte came back. Such an end says nothing of the server, which
 * may close an idle connection whenever it likes (RFC 9112 §9.5).
 *
 * @param error as the client threw it, of a connection that `watchForStale` made
 */
export const isStale = (error: unknown): boolean => error instanceof Error && stale.has(error);

/** The connector, its connections watched for `isStale`. */
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
