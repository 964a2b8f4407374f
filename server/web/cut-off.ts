import type { IncomingMessage, ServerResponse } from "node:http";

/** How long an over-long body may still come in behind its refusal. */
const LINGER_MS = 2_000;

/**
 * Answers a body over the server's limit before it is read to its end. What the client still sends is
 * thrown away for a moment: closing at once would reset the connection and the answer with it.
 */
export function cutOff(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(413, { connection: "close", "content-length": 0 });
  response.flushHeaders();
  const impatience = setTimeout(() => request.destroy(), LINGER_MS);
  request.once("close", () => clearTimeout(impatience));
  request.once("end", () => response.end());
  request.resume();
}
