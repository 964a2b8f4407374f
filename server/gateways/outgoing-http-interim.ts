import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

import type { buildConnector } from "undici";

const START = Buffer.from("HTTP/1.1 1");
const END = Buffer.from("\r\n\r\n");
/** A longer header section is left to undici, which rejects it. */
const INTERIM_BYTES_MAX = 1024;

/** The bytes of a response received before its status is known; unset while the rest arrives. */
const beginnings = new WeakMap<Socket, Buffer>();

subscribe("undici:client:sendHeaders", (message) => {
  const { socket } = message as { socket: Socket };
  beginnings.set(socket, Buffer.alloc(0));
});

/**
 * Wraps the connector so that interim responses are skipped, as clients must do even with unexpected ones (RFC 9110, 15.2).
 * undici rejects `100 Continue` as a bad response.
 */
export const skipInterim =
  (connect: buildConnector.connector): buildConnector.connector =>
  (target, callback) =>
    connect(target, (...result) => {
      const [, socket] = result;
      if (socket) {
        const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
        socket.read = (size?: number) => {
          const chunk = read(size);
          return chunk && withoutInterim(socket, chunk);
        };
      }
      callback(...result);
    });

/** Null if more must arrive. */
function withoutInterim(socket: Socket, chunk: Buffer): Buffer | null {
  const before = beginnings.get(socket);
  if (!before) return chunk;
  let bytes = before.length > 0 ? Buffer.concat([before, chunk]) : chunk;
  while (isInterim(bytes)) {
    const end = bytes.indexOf(END);
    if (end === -1) {
      beginnings.set(socket, bytes);
      return null;
    }
    bytes = bytes.subarray(end + END.length);
  }
  if (bytes.length === 0) {
    beginnings.set(socket, bytes);
    return null;
  }
  beginnings.delete(socket);
  return bytes;
}

/** Whether the bytes begin with an interim response, or may do so once more have arrived. */
function isInterim(bytes: Buffer): boolean {
  if (bytes.length === 0 || bytes.length > INTERIM_BYTES_MAX) return false;
  const known = Math.min(bytes.length, START.length);
  return bytes.subarray(0, known).equals(START.subarray(0, known));
}
