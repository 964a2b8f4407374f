import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

import { count, observe } from "#server/core/platform/monitoring/counters.ts";
import { FORWARD_PATH } from "#server/core/mailboxes/mailbox-rules/forward-confirmations.ts";
import { RELEASE_PATH } from "#server/core/mail/quarantine-digests/digests.ts";
import { type RefusalReason, refusals } from "#server/core/shared/refusals.ts";
import { DOWNLOAD_PATH } from "#server/core/shared/secrets/link-token.ts";
import { BODY_LIMITS } from "#server/http/read-body.ts";
import { createLogger } from "#server/processes/logger.ts";

import { acmeChallenge } from "./acme-challenge.ts";
import { calendar, calendarRedirect } from "./calendar.ts";
import { callerAddress } from "./caller-address.ts";
import {
  accountProfile,
  autoconfig,
  autodiscover,
  autodiscoverJson,
  domainProfile,
} from "./client-settings.ts";
import { docs } from "./docs.ts";
import { downloadFile } from "./download-link.ts";
import { cutOff, type Exchange, type Handler, sendReply, type WebReply } from "./exchange.ts";
import { forwardLink } from "./forward-link.ts";
import { liveness, metrics, readiness } from "./monitoring.ts";
import { emailFrame, isPagePath, servePage } from "./pages.ts";
import { releaseLink } from "./release-link.ts";
import {
  type HttpsPolicy,
  judgeTransport,
  redirectToHttps,
  setTransportSecurity,
} from "./require-https.ts";
import { followLink, loadImage, unsubscribe } from "./tracking.ts";
import { webmail } from "./webmail.ts";
import { mtaStsPolicy, receiptKeys } from "./well-known.ts";

const logger = createLogger("web");

type Route = {
  /** Matches the path. The handler gets the first capture group, or "". */
  path: RegExp;
  /** Allowed methods; others get a 405. GET and HEAD if omitted, null for all. */
  methods?: string[] | null;
  /** Also served at companies' tracking hosts, which serve only these routes. */
  atTrackingHosts?: true;
  /** Served over plain HTTP too, for programs that don't follow redirects. */
  openOverHttp?: true;
  /** Returns null if it has responded itself. If it throws, the client gets a 503. */
  handle: (exchange: Exchange, part: string) => WebReply | null | Promise<WebReply | null>;
};

const FORM_METHODS = ["GET", "HEAD", "POST"];

/** Everything this server serves besides the pages and the API. */
const ROUTES: Route[] = [
  {
    path: /^\/\.well-known\/acme-challenge\/([A-Za-z0-9_-]{1,256})$/,
    methods: null,
    atTrackingHosts: true,
    openOverHttp: true,
    handle: acmeChallenge,
  },
  { path: /^\/t\/o\/([^/]+)$/, atTrackingHosts: true, openOverHttp: true, handle: loadImage },
  { path: /^\/t\/c\/([^/]+)$/, atTrackingHosts: true, openOverHttp: true, handle: followLink },
  {
    path: /^\/t\/u\/([^/]+)$/,
    methods: FORM_METHODS,
    atTrackingHosts: true,
    openOverHttp: true,
    handle: unsubscribe,
  },
  { path: /^\/healthz$/, methods: null, openOverHttp: true, handle: liveness },
  { path: /^\/readyz$/, methods: null, openOverHttp: true, handle: readiness },
  { path: /^\/metrics$/, openOverHttp: true, handle: metrics },
  { path: /^\/\.well-known\/mta-sts\.txt$/, openOverHttp: true, handle: mtaStsPolicy },
  {
    path: /^\/\.well-known\/posthouse-receipts\.json$/,
    openOverHttp: true,
    handle: receiptKeys,
  },
  {
    path: /^(?:\/\.well-known\/autoconfig)?\/mail\/config-v1\.1\.xml$/,
    openOverHttp: true,
    handle: autoconfig,
  },
  {
    path: /^\/autodiscover\/autodiscover\.xml$/i,
    methods: FORM_METHODS,
    openOverHttp: true,
    handle: autodiscover,
  },
  {
    path: /^\/autodiscover\/autodiscover\.json(?:\/v1\.0(?:\/([^/]*))?)?$/i,
    openOverHttp: true,
    handle: autodiscoverJson,
  },
  { path: /^\/apple\.mobileconfig$/, handle: domainProfile },
  { path: /^\/account\/apple\.mobileconfig$/, handle: accountProfile },
  { path: /^\/docs(?:\/(style\.css|script\.js))?$/, handle: docs },
  { path: /^\/console\/email-frame$/, methods: ["POST"], handle: emailFrame },
  { path: new RegExp(`^${RELEASE_PATH}(.*)$`), methods: FORM_METHODS, handle: releaseLink },
  { path: new RegExp(`^${FORWARD_PATH}(.*)$`), methods: FORM_METHODS, handle: forwardLink },
  { path: new RegExp(`^${DOWNLOAD_PATH}(.*)$`), handle: downloadFile },
  { path: /^\/\.well-known\/ca(?:l|rd)dav$/, methods: null, handle: calendarRedirect },
  { path: /^\/dav(?:\/|$)/, methods: null, handle: calendar },
  { path: /^\/webmail(?:\/|$)/, methods: FORM_METHODS, handle: webmail },
];

/** The handlers of API requests (REST and console) and of the console's pages. */
export type Destinations = { api: Handler; pages: Handler };

/**
 * Creates the listener that handles every request first. It determines the client's address, assigns a request ID, sets
 * common response headers, rejects oversized bodies, normalizes the path, and picks the route.
 */
export function front(policy: HttpsPolicy, destinations: Destinations): RequestListener {
  return (request, response) => {
    const exchange = receive(request, response, policy);
    if (Number(request.headers["content-length"] ?? 0) > BODY_LIMITS.sending)
      return cutOff(exchange);
    countRequest(exchange);
    const isTrackingHost = policy.isTrackingHost(request.headers.host);
    const route = ROUTES.find(
      ({ path, atTrackingHosts }) =>
        path.test(exchange.path) && (atTrackingHosts || !isTrackingHost),
    );
    if (isTrackingHost && !route) return sendError(exchange, "not_found", "Not found");
    if (!route?.openOverHttp && !arrivedSafely(exchange, policy)) return;
    if (route) void answerRoute(route, exchange);
    else void answerElse(destinations, exchange);
  };
}

function receive(
  request: IncomingMessage,
  response: ServerResponse,
  policy: HttpsPolicy,
): Exchange {
  const requestId = randomUUID();
  response.setHeader("x-request-id", requestId);
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("x-frame-options", "DENY");
  response.setHeader("referrer-policy", "same-origin");
  setTransportSecurity(request, response, policy);
  const { path, isFolder, rest } = splitUrl(request.url ?? "/");
  // Next reads the URL itself.
  request.url = path + rest;
  return {
    request,
    response,
    path,
    isFolder,
    query: rest.startsWith("?") ? rest.slice(1) : "",
    address: callerAddress(request, policy.trustedProxies),
    requestId,
  };
}

/**
 * Splits off the query and turns `//emails/` into `/emails`, since clients join base URLs carelessly, and an absolute
 * URL (RFC 9112 §3.2.2) into its path.
 */
function splitUrl(given: string): { path: string; isFolder: boolean; rest: string } {
  const url = given.startsWith("/") ? given : given.replace(/^https?:\/\/[^/?#]*/i, "");
  const end = url.search(/[?#]/);
  const [path, rest] = end === -1 ? [url, ""] : [url.slice(0, end), url.slice(end)];
  const isFolder = path.endsWith("/");
  return { path: `/${path.split("/").filter(Boolean).join("/")}`, isFolder, rest };
}

/** Whether the request may be served over this connection. If not, redirects or rejects it. */
function arrivedSafely(exchange: Exchange, policy: HttpsPolicy): boolean {
  const verdict = judgeTransport(exchange.request, policy);
  if (verdict === "redirect") sendReply(exchange, redirectToHttps(exchange, policy));
  if (verdict === "refuse") {
    // The body isn't read.
    exchange.response.setHeader("connection", "close");
    const message = `This request must be sent over HTTPS, to ${policy.baseUrl}. If it carried an API key over an untrusted network, replace the key`;
    sendError(exchange, "not_allowed", message);
  }
  return verdict === "serve";
}

async function answerRoute(
  { path, methods = ["GET", "HEAD"], handle }: Route,
  exchange: Exchange,
): Promise<void> {
  if (methods && !methods.includes(exchange.request.method!)) {
    sendReply(exchange, { status: 405, headers: { allow: methods.join(", ") } });
    return;
  }
  try {
    const [, part = ""] = path.exec(exchange.path)!;
    const reply = await handle(exchange, part);
    if (reply) sendReply(exchange, reply);
  } catch (error) {
    if (logFailure(error, exchange))
      sendReply(exchange, { status: 503, type: "text/plain", body: "Try again later\n" });
  }
}

/** Answers requests that match no route: pages and the API. */
async function answerElse({ api, pages }: Destinations, exchange: Exchange): Promise<void> {
  const { request, path } = exchange;
  try {
    if (wantsConsole(request))
      sendReply(exchange, { status: 302, headers: { location: "/console" } });
    else if (!isPagePath(path)) await api(exchange);
    // Next answers malformed percent-encoding and invalid UTF-8 with a 500.
    else if (!isWellFormed(path)) sendError(exchange, "not_found", "Not found");
    else await servePage(pages, exchange);
  } catch (error) {
    // Both destinations handle their own errors. An error that still escapes them must not end the process.
    if (logFailure(error, exchange))
      sendError(exchange, "application_error", "Internal error. Try again later");
  }
}

/** Logs the failure. Returns false, and closes the connection, if the client can't be answered anymore. */
function logFailure(error: unknown, { request, response, requestId }: Exchange): boolean {
  if (request.destroyed || response.headersSent) {
    response.destroy();
    return false;
  }
  logger.error({ requestId, method: request.method, err: error }, "request failed");
  return true;
}

function sendError(exchange: Exchange, reason: RefusalReason, message: string): void {
  const { status, name } = refusals[reason];
  const body = JSON.stringify({ statusCode: status, name, message });
  sendReply(exchange, { status, type: "application/json", body });
}

function isWellFormed(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

const wantsConsole = ({ url, method, headers }: IncomingMessage): boolean =>
  url === "/" && method === "GET" && (headers.accept ?? "").includes("text/html");

const MS_PER_SECOND = 1_000;

/** The label `part` of metrics, by path. Anything else is the API. */
const PARTS: [part: string, path: RegExp][] = [
  ["health", /^\/(healthz|readyz|metrics)$/],
  ["console_api", /^\/(console|account)\/api(\/|$)/],
  ["pages", /^\/(console|account|_next|docs)(\/|$)/],
  ["calendar", /^\/dav(\/|$)/],
  ["webmail", /^\/webmail(\/|$)/],
  ["tracking", /^\/(t|release|forward)\//],
];

/** Counts the request and its duration once it is answered or the client disconnects. */
function countRequest({ path, response }: Exchange): void {
  const startedAt = performance.now();
  const part = PARTS.find(([, pattern]) => pattern.test(path))?.[0] ?? "api";
  response.once("close", () => {
    const status = response.writableFinished ? `${Math.floor(response.statusCode / 100)}xx` : "cut";
    count("posthouse_http_requests_total", { part, status });
    observe(
      "posthouse_http_request_seconds",
      { part },
      (performance.now() - startedAt) / MS_PER_SECOND,
    );
  });
}
