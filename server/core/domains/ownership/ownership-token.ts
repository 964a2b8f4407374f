import { createHmac, hkdfSync } from "node:crypto";

import { instanceKey } from "#server/core/shared/secrets/instance-key.ts";

const TOKEN_BYTES = 16;

/**
 * The token that proves ownership. Derived, so that a published record stays valid when the company adds the
 * name again; it differs for each company and can't be computed without the instance key.
 */
export function ownershipToken(companyId: string, name: string): string {
  const key = hkdfSync("sha256", instanceKey(), "", "posthouse domain ownership", 32);
  return createHmac("sha256", Buffer.from(key))
    .update(`${companyId} ${name}`)
    .digest()
    .subarray(0, TOKEN_BYTES)
    .toString("hex");
}
