import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

import { type RefusalReason, refusals } from "#server/core/shared/refusals.ts";
import { BODY_LIMITS } from "#server/http/read-body.ts";
import { createLogger } from "#server/processes/logger.ts";

import { answerAcmeChallenge } from "./acme-challenge.ts";
import { answerAutoconfig } from "./autoconfig.ts";
import { answerAutodiscoverJson } from "./autodiscover-json.ts";
import { answerAutodiscover } from "./autodiscover.ts";
import { callerAddress } from "./caller-address.ts";
import { setPagePolicy } from "./content-security-policy.ts";
import { countRequest } from "./count-request.ts";
import { cutOff } from "./cut-off.ts";
import { answerDocs } from "./docs.ts";
import { answerDownload } from "./download-link.ts";
import { answerEmailFrame } from "./email-frame.ts";
import { answerHealth } from "./health.ts";
import { answerMetrics } from "./metrics.ts";
import { answerMobileconfig } from "./mobileconfig.ts";
import { answerMtaSts } from "./mta-sts.ts";
import { answerReceiptKeys } from "./receipt-keys.ts";
import { answerReleaseLink } from "./release-link.ts";
import {
  type HttpsPolicy,
  judgeTransport,
  redirectToHttps,
  setTransportSecurity,
} from "./require-https.ts";
import { answerStatic } from "./static-files.ts";
import { answerTracking } from "./tracking.ts";
import { answerUnsubscribe } from "./unsubscribe.ts";

const logger = createLogger("web");

/** Paths that Next handles; `/console/api` and `/account/api` go to the API. */
const PAGE_PATH = /^\/((console|account)(?!\/api(\/|\?|$))|_next)(\/|\?|$)/;

/** Methods that Next supports; it answers any other with a bare 400. */
const PAGE_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** All that a company's tracking host answers. */
const LINK_ANSWERS = [answerAcmeChallenge, answerTracking, answerUnsubscribe];

/** Over HTTP too: for programs that don't follow redirects. Each returns whether it handled the request. */
const OPEN_ANSWERS = [
  ...LINK_ANSWERS,
  answerHealth,
  answerMetrics,
  answerMtaSts,
  answerReceiptKeys,
  answerAutoconfig,
  answerAutodiscover,
  answerAutodiscoverJson,
];

/** Each returns whether it handled the request. */
const OWN_ANSWERS = [
  answerMobileconfig,
  answerDocs,
  answerEmailFrame,
  answerReleaseLink,
  answerDownload,
];

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The handlers of API requests (REST and console) and of the console's pages. */
export type Destinations = { api: Handler; pages: Handler };

/**
 * Creates the listener that every request passes first. It sets the client's address, a request ID and common
 * response headers, rejects oversized bodies and normalizes paths.
 */
export function front(policy: HttpsPolicy, { api, pages }: Destinations): RequestListener {
  return (request, response) => {
    request.headers["x-forwarded-for"] = callerAddress(request, policy.trustedProxies);
    const requestId = randomUUID();
    request.headers["x-request-id"] = requestId;
    response.setHeader("x-request-id", requestId);
    response.setHeader("x-content-type-options", "nosniff");
    response.setHeader("x-frame-options", "DENY");
    response.setHeader("referrer-policy", "same-origin");
    setTransportSecurity(request, response, policy);

    if (Number(request.headers["content-length"] ?? 0) > BODY_LIMITS.sending)
      return cutOff(request, response);
    request.url = foldSlashes(request.url ?? "/");
    countRequest(request, response);
    if (answerOpenly(request, response, policy)) return;
    const verdict = judgeTransport(request, policy);
    if (verdict === "redirect") return redirectToHttps(request, response, policy);
    if (verdict === "refuse") return refusePlainHttp(response, policy);
    if (OWN_ANSWERS.some((answers) => answers(request, response))) return;
    if (wantsConsole(request)) return redirect(response, "/console");
    const answering = PAGE_PATH.test(request.url)
      ? answerPage(pages, request, response)
      : api(request, response);
    answering.catch((error: unknown) => answerFailure(error, request, response));
  };
}

/** Answers what is answered over HTTP too, and everything at tracking hosts. */
function answerOpenly(
  request: IncomingMessage,
  response: ServerResponse,
  { isTrackingHost }: HttpsPolicy,
): boolean {
  const isLinkHost = isTrackingHost(request.headers.host);
  const answers = isLinkHost ? LINK_ANSWERS : OPEN_ANSWERS;
  if (answers.some((answer) => answer(request, response))) return true;
  if (!isLinkHost) return false;
  request.resume();
  answerError(response, "not_found", "Not found");
  return true;
}

async function answerPage(pages: Handler, request: IncomingMessage, response: ServerResponse) {
  // Next answers malformed percent-encoding and invalid UTF-8 with a 500.
  if (!isWellFormed(request.url!)) {
    answerError(response, "not_found", "Not found");
    return;
  }
  if (!PAGE_METHODS.has(request.method!)) request.method = "OPTIONS";
  setPagePolicy(request, response);
  if (await answerStatic(request, response)) return;
  await pages(request, response);
}

/** Both destinations handle their own errors. An error that still escapes them must not end the process. */
function answerFailure(error: unknown, request: IncomingMessage, response: ServerResponse): void {
  if (request.destroyed || response.headersSent) {
    response.destroy();
    return;
  }
  const requestId = request.headers["x-request-id"];
  logger.error({ requestId, method: request.method, err: error }, "request failed");
  answerError(response, "application_error", "Internal error. Try again later");
}

/** Closes the connection, since the body wasn't read. */
function refusePlainHttp(response: ServerResponse, { baseUrl }: HttpsPolicy): void {
  response.setHeader("connection", "close");
  const message = `This request must be sent over HTTPS, to ${baseUrl}. If it carried an API key over an untrusted network, replace the key`;
  answerError(response, "not_allowed", message);
}

function answerError(response: ServerResponse, reason: RefusalReason, message: string): void {
  const { status, name } = refusals[reason];
  response
    .writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
    .end(JSON.stringify({ statusCode: status, name, message }));
}

/**
 * Turns `//emails/` into `/emails`, since clients join base URLs carelessly, and an absolute URL
 * (RFC 9112 §3.2.2) into its path.
 */
function foldSlashes(given: string): string {
  const url = given.startsWith("/") ? given : given.replace(/^https?:\/\/[^/?#]*/i, "");
  const end = url.search(/[?#]/);
  const [path, rest] = end === -1 ? [url, ""] : [url.slice(0, end), url.slice(end)];
  const folded = `/${path.split("/").filter(Boolean).join("/")}`;
  return folded + rest;
}

function isWellFormed(url: string): boolean {
  try {
    decodeURIComponent(url.split("?", 1)[0]!);
    return true;
  } catch {
    return false;
  }
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
