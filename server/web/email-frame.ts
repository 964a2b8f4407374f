import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream";

import { isSameOrigin } from "#server/http/authenticate.ts";

import { takesMethod } from "./client-answer.ts";

/** With `images=remote`, those of other servers are loaded: their readers are seen by them. */
const PATH = /^\/console\/email-frame(?:\?(?:images=(remote))?)?$/;

const policy = (images: string): string =>
  [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src ${images}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    // Without a word more: no scripts, no forms, no windows, and an origin that is nobody's.
    "sandbox",
  ].join("; ");

/**
 * Answers a page of the console with the HTML that it posts, for the frame that shows an email; true when
 * the request was for it. A document of its own is not bound to the policy of the page around it, which
 * allows no style of an email's; it is bound to a stricter one instead.
 */
export function answerEmailFrame(request: IncomingMessage, response: ServerResponse): boolean {
  const match = PATH.exec(request.url ?? "");
  if (!match) return false;
  if (!takesMethod(request, response, ["POST"])) return true;
  if (!isSameOrigin(request.headers)) {
    response.writeHead(403, { "content-length": 0 }).end();
    request.resume();
    return true;
  }
  response.setHeader("x-frame-options", "SAMEORIGIN");
  response.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy(match[1] === "remote" ? "data: https: http:" : "data:"),
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
  pipeline(request, response, () => {});
  return true;
}
