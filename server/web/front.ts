import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

import type { Config } from "#server/config.ts";
import { type RefusalReason, refusals } from "#server/core/refusals.ts";
import { BODY_LIMITS } from "#server/http/read-body.ts";
import { createLogger } from "#server/processes/logger.ts";

import { callerAddress } from "./caller-address.ts";
import { answerHealth } from "./health.ts";

const logger = createLogger("web");

/** How long an over-long body may still come in behind its refusal. */
const LINGER_MS = 2_000;

/** Methods that Next hands to route handlers; it answers any other with a bare 400. */
const NEXT_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const CONSOLE_PATH = /^\/(console|account|_next)(\/|\?|$)/;
const ROUTER_HEADER = /^(rsc|next-)/;

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * What stands in front of Next, for what its route handlers cannot see: the socket, the raw path, the
 * size of a body before it is read.
 */
export function front(config: Pick<Config, "trustedProxies">, next: Handler): RequestListener {
  return (request, response) => {
    request.headers["x-forwarded-for"] = callerAddress(request, config.trustedProxies);
    const requestId = randomUUID();
    request.headers["x-request-id"] = requestId;
    response.setHeader("x-request-id", requestId);
    response.setHeader("x-content-type-options", "nosniff");
    response.setHeader("x-frame-options", "DENY");
    response.setHeader("referrer-policy", "same-origin");

    if (Number(request.headers["content-length"] ?? 0) > BODY_LIMITS.sending)
      return cutOff(request, response);
    request.url = foldSlashes(request.url ?? "/");
    if (!isWellFormed(request.url)) return answerError(response, "not_found", "No such path");
    if (!CONSOLE_PATH.test(request.url)) dropRouterHeaders(request);
    // An unusual method finds its path's OPTIONS handler, which refuses it like any wrong method.
    if (!NEXT_METHODS.has(request.method ?? "")) request.method = "OPTIONS";
    if (answerHealth(request, response)) return;
    if (wantsConsole(request)) return redirect(response, "/console");
    next(request, response).catch((error: unknown) => answerFailure(error, request, response));
  };
}

/**
 * A body over the server's limit: answered before it is read. What the client still sends is thrown
 * away for a moment: closing at once would reset the connection and the answer with it.
 */
function cutOff(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(413, { connection: "close", "content-length": 0 });
  response.flushHeaders();
  const impatience = setTimeout(() => request.destroy(), LINGER_MS);
  request.once("close", () => clearTimeout(impatience));
  request.once("end", () => response.end());
  request.resume();
}

/** Next answers its own errors. What still comes out of it must not end the process. */
function answerFailure(error: unknown, request: IncomingMessage, response: ServerResponse): void {
  if (request.destroyed || response.headersSent) {
    response.destroy();
    return;
  }
  const requestId = request.headers["x-request-id"];
  logger.error({ requestId, method: request.method, err: error }, "request failed");
  answerError(response, "application_error", "Something went wrong on the server. Try again later");
}

function answerError(response: ServerResponse, reason: RefusalReason, message: string): void {
  const { status, name } = refusals[reason];
  response
    .writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
    .end(JSON.stringify({ statusCode: status, name, message }));
}

/** `//emails/` means `/emails`: clients join base URLs carelessly. */
function foldSlashes(url: string): string {
  const end = url.search(/[?#]/);
  const [path, rest] = end === -1 ? [url, ""] : [url.slice(0, end), url.slice(end)];
  const folded = `/${path.split("/").filter(Boolean).join("/")}`;
  return folded + rest;
}

/** Half a percent code or bytes that are no text name nothing; Next answers them with a 500. */
function isWellFormed(url: string): boolean {
  try {
    decodeURIComponent(url.split("?", 1)[0]!);
    return true;
  } catch {
    return false;
  }
}

/** What Next's client router says belongs to pages; on the API's paths Next would answer it with a redirect. */
function dropRouterHeaders(request: IncomingMessage): void {
  const kept = Object.entries(request.headers).filter(([name]) => !ROUTER_HEADER.test(name));
  request.headers = Object.fromEntries(kept);
}

function wantsConsole(request: IncomingMessage): boolean {
  return (
    request.url === "/" &&
    request.method === "GET" &&
    (request.headers.accept ?? "").includes("text/html")
  );
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location, "content-length": 0 }).end();
}
