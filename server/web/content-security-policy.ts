import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** Disables browser features that the pages don't use. */
const PERMISSIONS = [
  ...["accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer"],
  ...["microphone", "midi", "payment", "serial", "usb"],
]
  .map((feature) => `${feature}=()`)
  .join(", ");

/**
 * Sets a content security policy with a fresh nonce. Next and the pages read the nonce from the request and put it
 * on their scripts and style sheets; browsers block any others.
 */
export function setPagePolicy(request: IncomingMessage, response: ServerResponse): void {
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
    // The preview of an email, which has its own policy (email-frame.ts).
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
