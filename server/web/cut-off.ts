import type { IncomingMessage, ServerResponse } from "node:http";

/** How long to keep reading an oversized body after the response. */
const LINGER_MS = 2_000;

/**
 * Rejects a body over the server's limit without reading all of it. What the client still sends is discarded for
 * a moment: closing at once would reset the connection before the client reads the response.
 */
export function cutOff(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(413, { connection: "close", "content-length": 0 });
  response.flushHeaders();
  const impatience = setTimeout(() => request.destroy(), LINGER_MS);
  request.once("close", () => clearTimeout(impatience));
  request.once("end", () => response.end());
  request.resume();
}
