import type { IncomingMessage, ServerResponse } from "node:http";

/** A request and its response, with what `front.ts` has determined about the request. */
export type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  /** Without the query and without duplicate slashes; still percent-encoded. */
  path: string;
  /** Whether a slash ended the path. */
  isFolder: boolean;
  /** Without the question mark; still percent-encoded. */
  query: string;
  /** The client's IP address, which the client can't forge. */
  address: string;
  /** Sent as `x-request-id` and logged. */
  requestId: string;
};

/** Handles a request completely. */
export type Handler = (exchange: Exchange) => Promise<void>;

/** A complete response. For HEAD requests, only the headers are sent. */
export type WebReply = {
  status: number;
  type?: string;
  body?: string | Buffer;
  /** `cache-control` is `no-store` unless set here. */
  headers?: Record<string, string>;
};

export function sendReply(
  { request, response }: Exchange,
  { status, type, body = "", headers }: WebReply,
): void {
  const contentType = type && /^text\/[a-z]+$/.test(type) ? `${type}; charset=utf-8` : type;
  response
    .writeHead(status, {
      ...(contentType && { "content-type": contentType }),
      "content-length": Buffer.byteLength(body),
      "cache-control": "no-store",
      ...headers,
    })
    .end(body);
  // Discards an unread body, so that the connection can serve the next request.
  request.resume();
}

/** How long to keep reading an oversized body after the response. */
const LINGER_MS = 2_000;

/**
 * Rejects a body over the limit without reading all of it. Discards what the client is still sending for
 * two seconds: closing at once would reset the connection before the client reads the response.
 */
export function cutOff({ request, response }: Exchange): void {
  response.writeHead(413, { connection: "close", "content-length": 0 });
  response.flushHeaders();
  const impatience = setTimeout(() => request.destroy(), LINGER_MS);
  request.once("close", () => clearTimeout(impatience));
  request.once("end", () => response.end());
  request.resume();
}
