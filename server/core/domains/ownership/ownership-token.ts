import { createHmac, hkdfSync } from "node:crypto";

import { instanceKey } from "#server/core/shared/secrets/instance-key.ts";

const TOKEN_BYTES = 16;

/**
 * What a company publishes to prove that a name is its own. The same each time it adds the name, so
 * that a record once published serves a domain that was deleted or has expired; another company's is
 * another, and cannot be worked out without the instance key.
 */
export function ownershipToken(companyId: string, name: string): string {
  const key = hkdfSync("sha256", instanceKey(), "", "posthouse domain ownership", 32);
  return createHmac("sha256", Buffer.from(key))
    .update(`${companyId} ${name}`)
    .digest()
    .subarray(0, TOKEN_BYTES)
    .toString("hex");
}
