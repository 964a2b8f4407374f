import { createPublicKey, sign, verify } from "node:crypto";

import { z } from "zod";

import { Refusal } from "#server/core/shared/refusals.ts";
import { parseJson } from "#server/universal/parse-json.ts";

import { type SigningJwks, signingKey } from "./signing-key.ts";

export type JwsClaims = Record<string, unknown>;

/** `problem` is null for a valid signature. */
export type VerifiedJws = { claims: JwsClaims; problem: string | null };

const ClaimsObject = z.record(z.string(), z.unknown());

/**
 * Signs claims as a compact JWS with Ed25519 (RFC 7515, RFC 8037). Deterministic.
 *
 * @param type what the signature is for, so that it isn't valid for anything else
 */
export function signJws(type: string, claims: JwsClaims): string {
  const { privateKey, jwk } = signingKey();
  const header = { alg: jwk.alg, typ: type, kid: jwk.kid };
  const signed = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString("base64url")}`;
}

/** @param what the type in words, for the problem: "a receipt" */
export function verifyJws(
  jws: string,
  { type, what, keys }: { type: string; what: string; keys: SigningJwks },
): VerifiedJws {
  const [header = "", payload = "", signature = ""] = jws.split(".");
  const head = z
    .looseObject({ alg: z.literal("EdDSA"), typ: z.literal(type), kid: z.string() })
    .safeParse(decode(header));
  const claims = ClaimsObject.safeParse(decode(payload)).data ?? {};
  if (!head.success) return { claims, problem: `the signature wasn't made for ${what}` };
  const jwk = keys.keys.find(({ kid }) => kid === head.data.kid);
  if (!jwk) return { claims, problem: `signed with another key (${head.data.kid})` };
  const { kty, crv, x } = jwk;
  const key = createPublicKey({ key: { kty, crv, x }, format: "jwk" });
  const isSigned = verify(
    null,
    Buffer.from(`${header}.${payload}`),
    key,
    Buffer.from(signature, "base64url"),
  );
  return { claims, problem: isSigned ? null : "the signature is invalid" };
}

function decode(part: string): unknown {
  try {
    return parseJson(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}

const Signed = z.looseObject({ signature: z.string() });

const SignedFile = z.union([
  z.looseObject({ data: z.array(Signed) }),
  z.array(Signed),
  Signed.transform((one) => [one]),
]);

const Jwks = z.object({
  keys: z.array(
    z.looseObject({ kty: z.string(), crv: z.string(), x: z.string(), kid: z.string() }),
  ),
});

/** An object with its signature, a compact JWS. */
export type Signed = z.infer<typeof Signed>;

/**
 * Reads a file with signed objects: one, a list, a response of the API with a list, or a signature alone.
 *
 * @param what the objects, for the error: "receipts"
 * @throws Refusal `invalid` for a file without any
 */
export function readSigned(text: string, what: string): Signed[] {
  const trimmed = text.trim();
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(trimmed)) return [{ signature: trimmed }];
  const file = SignedFile.safeParse(readJson(trimmed));
  const found = file.data && ("data" in file.data ? file.data.data : file.data);
  if (!found || found.length === 0) throw new Refusal("invalid", `The file has no ${what}`);
  return found;
}

/** Reads a file of public keys, as published. @throws Refusal `invalid` */
export function readSigningKeys(text: string): SigningJwks {
  const keys = Jwks.safeParse(readJson(text));
  if (!keys.success) throw new Refusal("invalid", "The key file isn't a JSON Web Key Set");
  return keys.data as unknown as SigningJwks;
}

/** @throws Refusal `invalid` */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal("invalid", "The file isn't JSON");
  }
}
