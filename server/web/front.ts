import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

import type { Config } from "#server/config.ts";
import { BODY_LIMITS } from "#server/http/read-body.ts";

import { callerAddress } from "./caller-address.ts";
import { answerHealth } from "./health.ts";

/** Methods that Next hands to route handlers; it answers any other with a bare 400. */
const NEXT_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

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
    // An unusual method finds its path's OPTIONS handler, which refuses it like any wrong method.
    if (!NEXT_METHODS.has(request.method ?? "")) request.method = "OPTIONS";
    if (answerHealth(request, response)) return;
    if (wantsConsole(request)) return redirect(response, "/console");
    void next(request, response);
  };
}

/** A body over the server's limit: refused before it is read, and the connection with it. */
function cutOff(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(413, { connection: "close", "content-length": 0 });
  response.end(() => request.destroy());
}

/** `//emails/` means `/emails`: clients join base URLs carelessly. */
function foldSlashes(url: string): string {
  const end = url.search(/[?#]/);
  const [path, rest] = end === -1 ? [url, ""] : [url.slice(0, end), url.slice(end)];
  const folded = `/${path.split("/").filter(Boolean).join("/")}`;
  return folded + rest;
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
