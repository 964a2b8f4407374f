import {
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from "node:crypto";

import { instanceKey } from "./instance-key.ts";

type Purpose = keyof typeof PURPOSES;

/** The info of each purpose's key (RFC 5869), so that a token of one kind is invalid as another and elsewhere. */
const PURPOSES = {
  open: "posthouse tracking open",
  click: "posthouse tracking click",
  unsubscribe: "posthouse unsubscribe",
  test_unsubscribe: "posthouse test unsubscribe",
  release: "posthouse quarantine release",
  download: "posthouse download",
};

const MAC_BYTES = 16;

const keys = new WeakMap<KeyObject, Map<Purpose, KeyObject>>();

/** A token for a link: `signed` with a MAC, in base64url. Deterministic. */
export function signLinkToken(purpose: Purpose, signed: Buffer): string {
  return Buffer.concat([mac(purpose, signed), signed]).toString("base64url");
}

/**
 * What a token says; null unless this instance signed it for the purpose. Rejects non-canonical base64url spellings of
 * the same bytes.
 */
export function readLinkToken(purpose: Purpose, token: string): Buffer | null {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length <= MAC_BYTES || bytes.toString("base64url") !== token) return null;
  const signed = bytes.subarray(MAC_BYTES);
  return timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(purpose, signed)) ? signed : null;
}

/** 128 bits of HMAC-SHA-256: the minimum of RFC 2104 section 5. */
function mac(purpose: Purpose, signed: Buffer): Buffer {
  return createHmac("sha256", keyOf(purpose)).update(signed).digest().subarray(0, MAC_BYTES);
}

function keyOf(purpose: Purpose): KeyObject {
  const secret = instanceKey();
  const derived = keys.get(secret) ?? new Map<Purpose, KeyObject>();
  keys.set(secret, derived);
  let key = derived.get(purpose);
  if (!key) {
    key = createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", PURPOSES[purpose], 32)));
    derived.set(purpose, key);
  }
  return key;
}
