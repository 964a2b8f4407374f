import type { IncomingMessage } from "node:http";

const USER_AGENT_CHARS_MAX = 500;

/** Headers that mark a prefetch. */
const PREFETCH_HEADERS = ["sec-purpose", "purpose", "x-purpose", "x-moz"];

/**
 * Programs that follow links without a reader: scanning mail gateways, link previews of messengers, crawlers and
 * link checkers, if they identify themselves. Excludes the image proxies of Gmail and Yahoo, which load an image
 * when the email is opened. `CUBOT` is a phone brand.
 */
const AUTOMATED = new RegExp(
  [
    "(?<!cu)bot\\b|crawl|spider|slurp|scanner|link.?check|checklink|link.?expand|link.?preview",
    "urlpreview|uripreview|url preview|bingpreview|externalhit|^whatsapp/|embedly|existence discovery",
    "barracuda|proofpoint|mimecast|cloudmark|ironport|ciscosecure|trend ?micro|fortiguard|fortimail",
    "sophos|symantec|virustotal|urlscan|zscaler|checkpoint|vadesecure|google-safety|safebrowsing",
  ].join("|"),
  "i",
);

/** Whether a request seems to come from a reader, not from an automated program. */
export function isReader({ method, headers }: IncomingMessage): boolean {
  if (method !== "GET") return false;
  if (PREFETCH_HEADERS.some((name) => /prefetch|prerender|preview/i.test(String(headers[name]))))
    return false;
  return !AUTOMATED.test(headers["user-agent"] ?? "");
}

/** Returns the User-Agent header, truncated and without control characters; null if there is none. */
export function userAgentOf({ headers }: IncomingMessage): string | null {
  const text = (headers["user-agent"] ?? "").replace(/[\x00-\x1f\x7f-\x9f]/g, " ").trim();
  return text.slice(0, USER_AGENT_CHARS_MAX).toWellFormed() || null;
}
