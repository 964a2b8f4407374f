import { type VerifiedJws, verifyJws } from "#server/core/shared/signatures/jws.ts";
import { readSigned, type Signed } from "#server/core/shared/signatures/read-signed.ts";
import type { SigningJwks } from "#server/core/shared/signatures/signing-key.ts";

import { RECEIPT_TYPE, type ReceiptClaims } from "./sign-receipt.ts";

/** `problem` is null for a valid receipt. */
export type VerifiedReceipt = { claims: Partial<ReceiptClaims>; problem: string | null };

/**
 * Verifies receipts offline, without the database.
 *
 * @param text a receipt, a list of them or a response from `GET /emails/{id}/receipts` as JSON, or the signature alone
 * @throws Refusal `invalid` for a file without receipts
 */
export function verifyReceipts(text: string, keys: SigningJwks): VerifiedReceipt[] {
  return readSigned(text, "receipts").map((receipt) => verifyOne(receipt, keys));
}

function verifyOne({ signature, ...shown }: Signed, keys: SigningJwks): VerifiedJws {
  const verified = verifyJws(signature, { type: RECEIPT_TYPE, what: "a receipt", keys });
  const { claims, problem } = verified;
  if (problem !== null) return verified;
  const changed = Object.keys(claims).find(
    (name) => name in shown && JSON.stringify(shown[name]) !== JSON.stringify(claims[name]),
  );
  return { claims, problem: changed ? `${changed} differs from what was signed` : null };
}
