import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** What no page of ours uses, and nothing within one may ask for. */
const PERMISSIONS = [
  ...["accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer"],
  ...["microphone", "midi", "payment", "serial", "usb"],
]
  .map((feature) => `${feature}=()`)
  .join(", ");

/**
 * Puts a policy with a nonce of its own on a page's answer. Next and the pages read it from the request:
 * scripts and style sheets that bear it are ours, whatever else gets into a page does nothing.
 */
export function setPagePolicy(request: IncomingMessage, response: ServerResponse): void {
  const nonce = randomBytes(18).toString("base64url");
  const policy = pagePolicy(nonce);
  request.headers["content-security-policy"] = policy;
  request.headers["x-nonce"] = nonce;
  response.setHeader("content-security-policy", policy);
  isolatePage(response);
}

/** Keeps a page apart from the windows that open it or that it opens, and from the machine's devices. */
export function isolatePage(response: ServerResponse): void {
  response.setHeader("cross-origin-opener-policy", "same-origin");
  response.setHeader("cross-origin-resource-policy", "same-origin");
  response.setHeader("permissions-policy", PERMISSIONS);
}

const pagePolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    // The bundles that a script of ours loads are trusted with it: their addresses change by the build.
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    // Widths and variables of components stand in `style` attributes, which bear no nonce. They can
    // change how a page looks and load nothing: images are ours alone.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    // The preview of an email, which has a policy of its own (email-frame.ts).
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
