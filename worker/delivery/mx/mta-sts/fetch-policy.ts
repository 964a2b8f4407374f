import { OutgoingFailure, type OutgoingHttp } from "#server/gateways/outgoing-http.ts";

import { type PolicyTerms, readPolicy } from "./read-policy.ts";

const TIMEOUT_MS = 10_000;
const BYTES_MAX = 64 * 1024;

/**
 * Fetches the policy of a domain from its policy host (RFC 8461 §3.3).
 *
 * @returns null if the fetch fails
 */
export async function fetchPolicy(http: OutgoingHttp, domain: string): Promise<PolicyTerms | null> {
  try {
    const { status, headers, body, isCut } = await http.request({
      url: `https://mta-sts.${domain}/.well-known/mta-sts.txt`,
      method: "GET",
      headers: { accept: "text/plain" },
      timeoutMs: TIMEOUT_MS,
      answerBytesMax: BYTES_MAX,
    });
    const isText = /^text\/plain(\s*;|\s*$)/i.test(headers["content-type"] ?? "");
    return status === 200 && isText && !isCut ? readPolicy(body.toString("utf8")) : null;
  } catch (error) {
    if (error instanceof OutgoingFailure) return null;
    throw error;
  }
}
