import type { IncomingMessage, ServerResponse } from "node:http";

import { signingKeys } from "#server/core/shared/signatures/signing-key.ts";

const PATH = /^\/\.well-known\/posthouse-receipts\.json(\?|$)/;

/** Serves the public key of receipts as a JSON Web Key Set (RFC 7517, 5). Returns whether it handled the request. */
export function answerReceiptKeys(request: IncomingMessage, response: ServerResponse): boolean {
  if (!PATH.test(request.url ?? "")) return false;
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.writeHead(405, { allow: "GET, HEAD", "content-length": 0 }).end();
    return true;
  }
  const text = `${JSON.stringify(signingKeys(), null, 2)}\n`;
  response
    .writeHead(200, {
      "content-type": "application/jwk-set+json",
      "content-length": Buffer.byteLength(text),
      "cache-control": "public, max-age=86400",
      "access-control-allow-origin": "*",
    })
    .end(text);
  return true;
}
