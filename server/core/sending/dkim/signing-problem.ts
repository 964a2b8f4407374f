import { isOpenable } from "#server/core/shared/secrets/seal.ts";

/**
 * Returns why a domain's mail can't be signed, or null if it can.
 *
 * @param sealedKey the domain's active RSA key; null when it has none
 */
export function signingProblem(sealedKey: string | null): string | null {
  if (sealedKey === null) return "The sending domain has no DKIM key";
  return isOpenable("dkim_key", sealedKey)
    ? null
    : "The DKIM key of the sending domain can't be opened";
}
