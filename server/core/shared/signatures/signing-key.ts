import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

import { derivedSecret } from "#server/core/shared/secrets/instance-key.ts";

/** A public key as a JWK (RFC 8037, 2). */
export type SigningJwk = {
  kty: "OKP";
  crv: "Ed25519";
  x: string;
  /** Its thumbprint (RFC 7638). */
  kid: string;
  use: "sig";
  alg: "EdDSA";
};

/** A set of keys, as published at `/.well-known/posthouse-receipts.json` (RFC 7517, 5). */
export type SigningJwks = { keys: SigningJwk[] };

/** What precedes the seed of an Ed25519 key in PKCS #8 (RFC 8410, 7). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/**
 * The key that signs receipts. It derives from the instance key, so that it is the same on all hosts
 * and after a restore, and needs no storage.
 */
export function signingKey(): { privateKey: KeyObject; jwk: SigningJwk } {
  const key = Buffer.concat([PKCS8_PREFIX, derivedSecret("receipts")]);
  const privateKey = createPrivateKey({ key, format: "der", type: "pkcs8" });
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  return { privateKey, jwk: toJwk(x) };
}

/** The public part, to publish. */
export const signingKeys = (): SigningJwks => ({ keys: [signingKey().jwk] });

/** @param x the public key's 32 bytes, base64url */
export function toJwk(x: string): SigningJwk {
  const members = { crv: "Ed25519", kty: "OKP", x } as const;
  const kid = createHash("sha256").update(JSON.stringify(members)).digest("base64url");
  return { ...members, kid, use: "sig", alg: "EdDSA" };
}
