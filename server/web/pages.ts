import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream";

import { isSameOrigin } from "#server/http/authenticate.ts";
import { requestLanguage } from "#server/universal/texts/languages.ts";

import type { Exchange, Handler, WebReply } from "./exchange.ts";
import { answerStatic } from "./static-files.ts";

/** Paths that Next handles; `/console/api` and `/account/api` go to the API. */
const PAGE_PATH = /^\/((console|account)(?!\/api(\/|$))|_next)(\/|$)/;

export const isPagePath = (path: string) => PAGE_PATH.test(path);

/** Methods that Next supports; it answers any other with a bare 400. */
const PAGE_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Serves the pages of the console and `/account`, and their files. */
export async function servePage(pages: Handler, exchange: Exchange): Promise<void> {
  const { request } = exchange;
  if (!PAGE_METHODS.has(request.method!)) request.method = "OPTIONS";
  setPagePolicy(exchange);
  const hasLanguages = exchange.path.startsWith("/account");
  request.headers["x-language"] = hasLanguages ? requestLanguage(request.headers) : "en";
  if (!(await answerStatic(exchange))) await pages(exchange);
}

/** Disables browser features that the pages don't use. */
const PERMISSIONS = [
  "accelerometer",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "serial",
  "usb",
]
  .map((feature) => `${feature}=()`)
  .join(", ");

/**
 * Sets a content security policy with a fresh nonce. Next and the pages read the nonce from the headers of the request
 * and put it on their scripts and style sheets; browsers block any others.
 */
function setPagePolicy({ request, response }: Exchange): void {
  const nonce = randomBytes(18).toString("base64url");
  const policy = pagePolicy(nonce);
  request.headers["content-security-policy"] = policy;
  request.headers["x-nonce"] = nonce;
  response.setHeader("content-security-policy", policy);
  isolatePage(response);
}

/** Isolates a page from windows that open it or that it opens, and blocks access to devices. */
export function isolatePage(response: ServerResponse): void {
  response.setHeader("cross-origin-opener-policy", "same-origin");
  response.setHeader("cross-origin-resource-policy", "same-origin");
  response.setHeader("permissions-policy", PERMISSIONS);
}

const pagePolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    // Scripts with the nonce may load further bundles, whose URLs change with each build.
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    // Components set widths and variables in `style` attributes, which can't carry a nonce. Injected ones
    // could change how a page looks, but load nothing: images come from this server only.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    // The preview of an email, which has its own policy (`emailFrame`).
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

const FRAME_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  // Without exceptions: no scripts, no forms, no windows, and an opaque origin.
  "sandbox",
].join("; ");

/**
 * `/console/email-frame`: echoes the HTML that a console page posts, for the frame that shows an email. As a separate
 * document it isn't subject to the page's policy, which would block the email's styles, but to a stricter one.
 */
export function emailFrame({ request, response }: Exchange): WebReply | null {
  if (!isSameOrigin(request.headers)) return { status: 403 };
  response.setHeader("x-frame-options", "SAMEORIGIN");
  response.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": FRAME_POLICY,
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
  pipeline(request, response, () => {});
  return null;
}
