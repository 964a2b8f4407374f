import {
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from "node:crypto";

import { parse as parseUuid, stringify as stringifyUuid } from "uuid";

import { instanceKey } from "#server/core/shared/secrets/instance-key.ts";

type Purpose = "open" | "click" | "unsubscribe";

/** An email of this instance and a link it contained, verified by the token's signature. */
export type TrackedLink = { emailId: string; url: string };

/** Who unsubscribes, from whom, and the email that has the link. */
export type UnsubscribeLink = { companyId: string; emailId: string; recipient: string };

const ID_BYTES = 16;
const MAC_BYTES = 16;

const keys = new WeakMap<KeyObject, Record<Purpose, KeyObject>>();

/** The token of an email's tracking image: its signed id. */
export function signOpen(emailId: string): string {
  return sign("open", Buffer.from(parseUuid(emailId)));
}

/** The token of a link: the email's id and the URL, signed together. Deterministic. */
export function signClick({ emailId, url }: TrackedLink): string {
  return sign("click", Buffer.concat([parseUuid(emailId), Buffer.from(url)]));
}

/** Returns the email's id; null unless this instance signed the token. */
export function readOpen(token: string): string | null {
  const signed = verify("open", token);
  return signed && idOf(signed);
}

/** Returns the link; null unless this instance signed the token as a link. */
export function readClick(token: string): TrackedLink | null {
  const signed = verify("click", token);
  if (!signed) return null;
  return { emailId: idOf(signed), url: signed.toString("utf8", ID_BYTES) };
}

/** The token of an email's unsubscribe link. It stays valid when the email is deleted. */
export function signUnsubscribe({ companyId, emailId, recipient }: UnsubscribeLink): string {
  const ids = [parseUuid(companyId), parseUuid(emailId)];
  return sign("unsubscribe", Buffer.concat([...ids, Buffer.from(recipient)]));
}

/** Returns what an unsubscribe link says; null unless this instance signed it. */
export function readUnsubscribe(token: string): UnsubscribeLink | null {
  const signed = verify("unsubscribe", token);
  if (!signed) return null;
  return {
    companyId: idOf(signed),
    emailId: idOf(signed.subarray(ID_BYTES)),
    recipient: signed.toString("utf8", 2 * ID_BYTES),
  };
}

function sign(purpose: Purpose, signed: Buffer): string {
  return Buffer.concat([mac(purpose, signed), signed]).toString("base64url");
}

/** Rejects non-canonical base64url spellings of the same bytes. */
function verify(purpose: Purpose, token: string): Buffer | null {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length < MAC_BYTES + ID_BYTES || bytes.toString("base64url") !== token) return null;
  const signed = bytes.subarray(MAC_BYTES);
  return timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(purpose, signed)) ? signed : null;
}

/** 128 bits of HMAC-SHA-256: the minimum of RFC 2104 section 5. */
function mac(purpose: Purpose, signed: Buffer): Buffer {
  return createHmac("sha256", keyOf(purpose)).update(signed).digest().subarray(0, MAC_BYTES);
}

/** Separate keys (RFC 5869), so that a token of one kind is invalid as the other and elsewhere. */
function keyOf(purpose: Purpose): KeyObject {
  const secret = instanceKey();
  let derived = keys.get(secret);
  if (!derived) {
    const derive = (info: string) =>
      createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", info, 32)));
    derived = {
      open: derive("posthouse tracking open"),
      click: derive("posthouse tracking click"),
      unsubscribe: derive("posthouse unsubscribe"),
    };
    keys.set(secret, derived);
  }
  return derived[purpose];
}

function idOf(signed: Buffer): string {
  return stringifyUuid(signed.subarray(0, ID_BYTES));
}
