import type { ServerResponse } from "node:http";

import { PAGE_POLICY } from "./tracking-pages.ts";

/** Headers of all responses to links in emails: prevent caching, referrers and indexing. */
export const LINK_HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
};

export function answerPage(
  response: ServerResponse,
  status: number,
  page: string,
  policy = PAGE_POLICY,
): void {
  const headers = {
    ...LINK_HEADERS,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "content-length": Buffer.byteLength(page),
  };
  response.writeHead(status, headers).end(page);
}

export function answerWrongMethod(response: ServerResponse, allow: string): void {
  response.writeHead(405, { ...LINK_HEADERS, allow, "content-length": 0 }).end();
}
