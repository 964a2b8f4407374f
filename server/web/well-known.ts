import { config } from "#server/config.ts";
import { hasValidCertificate } from "#server/core/platform/certificates/stored-certificates.ts";
import { ownMtaStsPolicy, receivesMailHere } from "#server/core/domains/mta-sts/policy.ts";
import { signingKeys } from "#server/core/shared/signatures/signing-key.ts";
import { db } from "#server/db/pool.ts";

import type { Exchange, WebReply } from "./exchange.ts";

/** The policy host that sending servers request (RFC 8461 §3.3). A port after it is ignored. */
const HOST = /^mta-sts\.([a-z0-9._-]{1,253}?)\.?(?::\d*)?$/i;

/**
 * `/.well-known/mta-sts.txt`: the policy of the domain in the Host header; 404 for a domain that doesn't receive its
 * mail here. If this throws, the client gets a 503, and senders keep the policy they have cached.
 */
export async function mtaStsPolicy({ request }: Exchange): Promise<WebReply> {
  const [, domain] = HOST.exec(request.headers.host ?? "") ?? [];
  if (!domain || !(await receivesMailHere(db(), domain.toLowerCase())))
    return {
      status: 404,
      type: "text/plain",
      body: "This server has no MTA-STS policy for that domain\n",
    };
  const { hostname, tls } = config();
  const hasCertificate = tls !== null || (await hasValidCertificate(db(), hostname));
  return {
    status: 200,
    type: "text/plain",
    body: ownMtaStsPolicy(config(), hasCertificate).text,
    headers: { "cache-control": "public, max-age=300" },
  };
}

/** `/.well-known/posthouse-receipts.json`: the public key of receipts as a JSON Web Key Set (RFC 7517, 5). */
export const receiptKeys = (): WebReply => ({
  status: 200,
  type: "application/jwk-set+json",
  body: `${JSON.stringify(signingKeys(), null, 2)}\n`,
  headers: { "cache-control": "public, max-age=86400", "access-control-allow-origin": "*" },
});
