import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream";

import { isSameOrigin } from "#server/http/authenticate.ts";

import { takesMethod } from "./client-answer.ts";

const PATH = /^\/console\/email-frame\??$/;

const POLICY = [
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
 * Echoes the HTML that a console page posts, for the frame that shows an email. As a separate document it isn't
 * subject to the page's policy, which would block the email's styles, but to a stricter one. Returns whether it
 * handled the request.
 */
export function answerEmailFrame(request: IncomingMessage, response: ServerResponse): boolean {
  if (!PATH.test(request.url ?? "")) return false;
  if (!takesMethod(request, response, ["POST"])) return true;
  if (!isSameOrigin(request.headers)) {
    response.writeHead(403, { "content-length": 0 }).end();
    request.resume();
    return true;
  }
  response.setHeader("x-frame-options", "SAMEORIGIN");
  response.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
  pipeline(request, response, () => {});
  return true;
}
