import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

import { config } from "#server/config.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
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
function toJwk(x: string): SigningJwk {
  const members = { crv: "Ed25519", kty: "OKP", x } as const;
  const kid = createHash("sha256").update(JSON.stringify(members)).digest("base64url");
  return { ...members, kid, use: "sig", alg: "EdDSA" };
}

/** Where the public key of the appliance at a host is published in DNS. */
export const signingKeyName = (host: string) => `_posthouse-receipts.${host}`;

/** The TXT record that publishes this server's public key. */
export function signingKeyRecord(baseUrl = config().baseUrl): { name: string; value: string } {
  const { x, kid } = signingKey().jwk;
  const key = Buffer.from(x, "base64url").toString("base64");
  const name = signingKeyName(new URL(baseUrl).hostname);
  return { name, value: `v=posthouse1; k=ed25519; kid=${kid}; p=${key}` };
}

/**
 * Reads the keys in TXT records, and ignores other records.
 *
 * @throws Refusal `not_found`
 */
export function readDnsKeys(name: string, texts: string[]): SigningJwks {
  const keys = texts.flatMap((text) => readRecord(text) ?? []);
  if (keys.length === 0) throw new Refusal("not_found", `${name} has no TXT record with a key`);
  return { keys };
}

const KEY_BYTES = 32;

function readRecord(text: string) {
  const tags = new Map(
    text.split(";").map((tag) => {
      const [name = "", ...value] = tag.split("=");
      return [name.trim(), value.join("=").trim()];
    }),
  );
  if (tags.get("v") !== "posthouse1" || tags.get("k") !== "ed25519") return null;
  const key = Buffer.from(tags.get("p") ?? "", "base64");
  if (key.length !== KEY_BYTES) return null;
  return toJwk(key.toString("base64url"));
}
