import { createPublicKey, type KeyObject, verify } from "node:crypto";

import { z } from "zod";

import { Refusal } from "#server/core/shared/refusals.ts";

import type { ReceiptJwks } from "./receipt-key.ts";
import { RECEIPT_TYPE, type ReceiptClaims } from "./sign-receipt.ts";

/** `problem` is null for a valid receipt. */
export type VerifiedReceipt = { claims: Partial<ReceiptClaims>; problem: string | null };

const Signed = z.looseObject({ signature: z.string() });
const ReceiptFile = z.union([
  z.looseObject({ data: z.array(Signed) }),
  z.array(Signed),
  Signed.transform((one) => [one]),
]);
const Header = z.looseObject({
  alg: z.literal("EdDSA"),
  typ: z.literal(RECEIPT_TYPE),
  kid: z.string(),
});
const Claims = z.record(z.string(), z.unknown());
const Jwks = z.object({
  keys: z.array(
    z.looseObject({ kty: z.string(), crv: z.string(), x: z.string(), kid: z.string() }),
  ),
});

/**
 * Verifies receipts offline, without the database.
 *
 * @param text a receipt, a list of them or a response from `GET /emails/{id}/receipts` as JSON, or the signature alone
 * @throws Refusal `invalid` for a file without receipts
 */
export function verifyReceipts(text: string, keys: ReceiptJwks): VerifiedReceipt[] {
  const known = new Map(keys.keys.map(({ kid, ...jwk }) => [kid, jwk]));
  return readFile(text).map((receipt) => verifyOne(receipt, known));
}

/** Reads a file of public keys, as published. @throws Refusal `invalid` */
export function readReceiptKeys(text: string): ReceiptJwks {
  const keys = Jwks.safeParse(readJson(text));
  if (!keys.success) throw new Refusal("invalid", "The key file isn't a JSON Web Key Set");
  return keys.data as unknown as ReceiptJwks;
}

type Receipt = z.infer<typeof Signed>;

function readFile(text: string): Receipt[] {
  const trimmed = text.trim();
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(trimmed)) return [{ signature: trimmed }];
  const file = ReceiptFile.safeParse(readJson(trimmed));
  const receipts = file.data && ("data" in file.data ? file.data.data : file.data);
  if (!receipts || receipts.length === 0) throw new Refusal("invalid", "The file has no receipts");
  return receipts;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal("invalid", "The file isn't JSON");
  }
}

function verifyOne(
  { signature, ...shown }: Receipt,
  known: Map<string, Omit<ReceiptJwks["keys"][0], "kid">>,
): VerifiedReceipt {
  const [header = "", payload = "", mac = ""] = signature.split(".");
  const head = Header.safeParse(decode(header));
  const claims = Claims.safeParse(decode(payload)).data ?? {};
  const problem = (why: string): VerifiedReceipt => ({ claims, problem: why });
  if (!head.success) return problem("the signature isn't that of a receipt");
  const jwk = known.get(head.data.kid);
  if (!jwk) return problem(`signed with another key (${head.data.kid})`);
  if (!isSignedBy(toKey(jwk), `${header}.${payload}`, mac))
    return problem("the signature is invalid");
  const changed = Object.keys(claims).find(
    (name) => name in shown && JSON.stringify(shown[name]) !== JSON.stringify(claims[name]),
  );
  if (changed) return problem(`${changed} differs from what was signed`);
  return { claims, problem: null };
}

const toKey = (jwk: Omit<ReceiptJwks["keys"][0], "kid">): KeyObject =>
  createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: "jwk" });

const isSignedBy = (key: KeyObject, signed: string, signature: string): boolean =>
  verify(null, Buffer.from(signed), key, Buffer.from(signature, "base64url"));

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}
