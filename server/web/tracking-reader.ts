import type { IncomingMessage } from "node:http";

const USER_AGENT_CHARS_MAX = 500;

/** Headers by which a program says that it loads before anybody asked for it. */
const PREFETCH_HEADERS = ["sec-purpose", "purpose", "x-purpose", "x-moz"];

/**
 * Programs that follow links for nobody: mail gateways that scan, link previews of messengers, crawlers
 * and link checkers, as far as they say who they are. The image proxies of Gmail and Yahoo are not
 * among them: they load an image when a person opens the email. `CUBOT` makes telephones.
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

/** Whether a person seems to be behind a request, not a program that looks at links by itself. */
export function isReader({ method, headers }: IncomingMessage): boolean {
  if (method !== "GET") return false;
  if (PREFETCH_HEADERS.some((name) => /prefetch|prerender|preview/i.test(String(headers[name]))))
    return false;
  return !AUTOMATED.test(headers["user-agent"] ?? "");
}

/** How a reader's program names itself, cut to a sane length; null when it does not. */
export function userAgentOf({ headers }: IncomingMessage): string | null {
  const text = (headers["user-agent"] ?? "").replace(/[\x00-\x1f\x7f-\x9f]/g, " ").trim();
  return text.slice(0, USER_AGENT_CHARS_MAX).toWellFormed() || null;
}
