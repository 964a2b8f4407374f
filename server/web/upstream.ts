import { once } from "node:events";
import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as ask,
  type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream";

import { parseSetCookie, stringifySetCookie } from "cookie";

import { config, type Upstream } from "#server/config.ts";
import { Slots } from "#server/core/shared/slots.ts";
import { BODY_LIMITS, BodyOverServerLimit } from "#server/http/read-body.ts";
import { createLogger } from "#server/processes/logger.ts";

import { cutOff, type Exchange } from "./exchange.ts";

const logger = createLogger("web");

export type Passage = {
  upstream: Upstream;
  /** At most `max` requests of `user` are in progress; further ones wait. */
  turns: { user: string; max: number };
  /** The cookies of the upstream are limited to this path. */
  cookiePath: string;
  /** Sent to the upstream instead of the client's headers of these names. The client's credentials are sent only if listed here. */
  headers: Record<string, string>;
  /** Maximum request body in bytes. Defaults to the limit for sending email. */
  bodyMax?: number;
  /** Called with the size of each part of the request's body. */
  onBody?: (bytes: number) => void;
};

/** Longest time without data from the upstream, in milliseconds. A search in a large mailbox takes a while. */
const IDLE_MS = 120_000;

/** Without data to or from the client. Longer, so that the client hears about an upstream that hangs. */
const CLIENT_IDLE_MS = IDLE_MS + 10_000;

/**
 * Opens a connection for each request, so that whatever the upstream sends, a response can't be mistaken for that to another
 * user's request. With `maxSockets`, requests over it would use the connections of others.
 */
const agent = new Agent({ keepAlive: false });

/** Requests of a user that wait for others of the same user. */
const WAITING_MAX = 50;

const slots = new Slots();

/** Waits until the user has fewer requests in progress. False if the client disconnects first, or too many are waiting already. */
async function takeTurn(
  { user, max }: Passage["turns"],
  response: ServerResponse,
): Promise<boolean> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once("close", leave);
  const signal = () => gone.signal;
  const end = await slots.acquire(user, { max, waitingMax: WAITING_MAX, signal });
  response.off("close", leave);
  if (!end) return false;
  if (response.destroyed) end();
  else response.once("close", end);
  return !response.destroyed;
}

/**
 * Forwards a request to another program and streams its response to the client. The upstream can't override headers that are
 * already set on the response. Returns false, without having responded, if the upstream doesn't respond or too many requests of
 * the user are waiting.
 */
export async function forward(exchange: Exchange, passage: Passage): Promise<boolean> {
  const { request, response, path, isFolder, query, requestId } = exchange;
  if (!(await takeTurn(passage.turns, response))) return response.destroyed;
  const sent = ask({
    ...passage.upstream,
    agent,
    method: request.method,
    path: path + (isFolder && path !== "/" ? "/" : "") + (query && `?${query}`),
    headers: requestHeaders(exchange, passage.headers),
    timeout: IDLE_MS,
  });
  sent.once("timeout", () => sent.destroy(new Error("no data for two minutes")));
  response.setTimeout(CLIENT_IDLE_MS);
  response.once("close", () => sent.destroy());
  const answered = once(sent, "response") as Promise<[IncomingMessage]>;
  // An error ends `sent` as well, which is handled below.
  if (hasBody(request)) pipeline(limited(request, sent, passage), sent, () => {});
  else sent.end();
  try {
    const [answer] = await answered;
    // Both sides then notice that the rest is missing.
    sent.on("error", () => response.destroy());
    setHeaders(exchange, answer, passage.cookiePath);
    response.writeHead(answer.statusCode!);
    pipeline(answer, response, () => request.resume());
    return true;
  } catch (error) {
    sent.on("error", () => {}).destroy();
    if (error instanceof BodyOverServerLimit) cutOff(exchange);
    if (error instanceof BodyOverServerLimit || response.destroyed) return true;
    logger.warn({ requestId, upstream: passage.upstream, err: error }, "the upstream is down");
    return false;
  }
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/** Keeps the client's connection open on an error, for the response. */
async function* limited(
  request: IncomingMessage,
  sent: ClientRequest,
  { onBody, bodyMax = BODY_LIMITS.sending }: Passage,
): AsyncGenerator<Buffer> {
  const length = Number(request.headers["content-length"]);
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    onBody?.(chunk.length);
    if (size > bodyMax) {
      sent.destroy(new BodyOverServerLimit());
      return;
    }
    // With the last part, not after it: writing to an upstream that has answered and closed would lose the answer.
    if (size === length) sent.end(chunk);
    else yield chunk;
  }
}

/** Headers about one connection (RFC 9110 §7.6.1). */
const HOP_BY_HOP = "connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade";

/** CGI programs get the header `proxy` as the variable HTTP_PROXY, which HTTP clients use. */
const OWN_REQUEST_HEADERS = new RegExp(
  `^(?:${HOP_BY_HOP}|proxy|expect|cookie|authorization|forwarded|x-forwarded-.*|x-real-ip|x-remote-user|x-script-name|x-posthouse-.*)$`,
);

function requestHeaders({ request, address }: Exchange, own: Passage["headers"]) {
  const { headers } = request;
  const named = connectionOptions(headers);
  const theirs = Object.entries(headers).filter(
    ([name]) =>
      // CGI turns all other characters into underscores, so that `x_posthouse_mailbox` would count as ours.
      /^[a-z0-9-]+$/.test(name) && !OWN_REQUEST_HEADERS.test(name) && !named.has(name),
  );
  return {
    ...Object.fromEntries(theirs),
    // Also if `Connection` names them: the upstream would take a body without them for another request.
    ...(headers["content-length"] !== undefined && { "content-length": headers["content-length"] }),
    ...(headers["transfer-encoding"] !== undefined && { "transfer-encoding": "chunked" }),
    "x-forwarded-for": address,
    "x-forwarded-proto": new URL(config().baseUrl).protocol.slice(0, -1),
    ...own,
    // An upstream that closed after a quick answer would break the connection while Node.js still ends the request.
    connection: "keep-alive",
  };
}

/** Headers about the connection, and those that browsers apply to all pages of this server. */
const OWN_RESPONSE_HEADERS = new RegExp(
  `^(?:${HOP_BY_HOP}|set-cookie|server|x-powered-by|x-posthouse-.*|access-control-.*|content-security-policy.*|` +
    "cross-origin-.*|permissions-policy|strict-transport-security|alt-svc|clear-site-data|nel|report-to|" +
    "reporting-endpoints|service-worker-allowed)$",
);

function setHeaders({ request, response }: Exchange, answer: IncomingMessage, cookiePath: string) {
  const named = connectionOptions(answer.headers);
  for (const [name, values] of Object.entries(answer.headersDistinct))
    if (!OWN_RESPONSE_HEADERS.test(name) && !named.has(name) && !response.hasHeader(name))
      response.setHeader(name, values!);
  addPolicy(response, answer);
  const cookies = answer.headers["set-cookie"]?.flatMap((text) => confined(text, cookiePath)) ?? [];
  if (cookies.length > 0) response.setHeader("set-cookie", cookies);
  // An upstream doesn't know that it is behind HTTPS.
  const { location } = answer.headers;
  const origin = `http://${request.headers.host}/`;
  if (location?.startsWith(origin))
    response.setHeader("location", location.slice(origin.length - 1));
}

const POLICY = "content-security-policy";

/** Browsers enforce our policy and theirs: Roundcube's for attachments allows less. */
function addPolicy(response: ServerResponse, answer: IncomingMessage): void {
  const own = response.getHeader(POLICY);
  const theirs = answer.headersDistinct[POLICY];
  if (own !== undefined && theirs) response.setHeader(POLICY, [String(own), ...theirs]);
}

/** The header names in `Connection`, which aren't forwarded either. */
const connectionOptions = ({ connection = "" }: IncomingHttpHeaders) =>
  new Set(connection.toLowerCase().split(/\s*,\s*/));

const asIs = (value: string) => value;

/** A cookie of the upstream, limited to its path. Drops cookies that are named like this server's own. */
function confined(text: string, path: string): string[] {
  const { name, value, expires, maxAge } = parseSetCookie(text, { decode: asIs });
  if (/^__|posthouse/i.test(name)) return [];
  const lifetime = { ...(expires && { expires }), ...(maxAge !== undefined && { maxAge }) };
  const secure = config().baseUrl.startsWith("https:");
  const safe = { path, secure, httpOnly: true, sameSite: "lax" } as const;
  return [stringifySetCookie({ name, value: value ?? "", ...lifetime, ...safe }, { encode: asIs })];
}
