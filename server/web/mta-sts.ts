import type { IncomingMessage, ServerResponse } from "node:http";

import { config } from "#server/config.ts";
import { hasValidCertificate } from "#server/core/platform/certificates/stored-certificates.ts";
import { ownMtaStsPolicy } from "#server/core/domains/mta-sts/policy.ts";
import { receivesMailHere } from "#server/core/domains/mta-sts/receives-mail-here.ts";
import { db } from "#server/db/pool.ts";
import { createLogger } from "#server/processes/logger.ts";

const logger = createLogger("web");

const PATH = /^\/\.well-known\/mta-sts\.txt(\?|$)/;

/** The policy host that sending servers request (RFC 8461 §3.3). A port after it is ignored. */
const HOST = /^mta-sts\.([a-z0-9._-]{1,253}?)\.?(?::\d*)?$/i;

const HEADERS = { "content-type": "text/plain; charset=utf-8" };

/**
 * Serves `/.well-known/mta-sts.txt` with the policy of the domain in the Host header; 404 for a domain that
 * doesn't receive its mail here. Returns whether it handled the request.
 */
export function answerMtaSts(request: IncomingMessage, response: ServerResponse): boolean {
  if (!PATH.test(request.url ?? "")) return false;
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.writeHead(405, { allow: "GET, HEAD", "content-length": 0 }).end();
    return true;
  }
  answerPolicy(request, response).catch((error: unknown) => {
    logger.error({ err: error }, "failed to serve the MTA-STS policy");
    // Not 404, so that senders keep the policy they have cached.
    write(response, 503, "Try again later\n");
  });
  return true;
}

async function answerPolicy(request: IncomingMessage, response: ServerResponse) {
  const [, domain] = HOST.exec(request.headers.host ?? "") ?? [];
  if (!domain || !(await receivesMailHere(db(), domain.toLowerCase())))
    write(response, 404, "This server has no MTA-STS policy for that domain\n");
  else write(response, 200, await policyText(), { "cache-control": "public, max-age=300" });
}

async function policyText(): Promise<string> {
  const { hostname, tls } = config();
  const hasCertificate = tls !== null || (await hasValidCertificate(db(), hostname));
  return ownMtaStsPolicy(config(), hasCertificate).text;
}

function write(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = { "cache-control": "no-store" },
): void {
  const length = Buffer.byteLength(text);
  response.writeHead(status, { ...HEADERS, ...headers, "content-length": length }).end(text);
}
