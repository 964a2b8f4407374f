import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

import { parse as parseUuid, stringify as stringifyUuid } from "uuid";

import { instanceKey } from "#server/core/shared/secrets/instance-key.ts";

type Purpose = "open" | "click";

/** What a reader's request proves to come from: an email of this instance, and a link that it held. */
export type TrackedLink = { emailId: string; url: string };

const ID_BYTES = 16;
const MAC_BYTES = 16;

const keys = new WeakMap<Buffer, Record<Purpose, Buffer>>();

/** The token of an email's tracking image: its id, signed. */
export function signOpen(emailId: string): string {
  return sign("open", Buffer.from(parseUuid(emailId)));
}

/** The token of a link: the email's id and the URL itself, signed together. Equal links have equal tokens. */
export function signClick({ emailId, url }: TrackedLink): string {
  return sign("click", Buffer.concat([parseUuid(emailId), Buffer.from(url)]));
}

/** The email of a tracking image; null unless this instance signed the token. */
export function readOpen(token: string): string | null {
  const signed = verify("open", token);
  return signed && idOf(signed);
}

/** The link of a token; null unless this instance signed it, and signed it as a link. */
export function readClick(token: string): TrackedLink | null {
  const signed = verify("click", token);
  if (!signed) return null;
  return { emailId: idOf(signed), url: signed.toString("utf8", ID_BYTES) };
}

function sign(purpose: Purpose, signed: Buffer): string {
  return Buffer.concat([mac(purpose, signed), signed]).toString("base64url");
}

/** Base64url has several spellings of the same bytes: only ours counts. */
function verify(purpose: Purpose, token: string): Buffer | null {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length < MAC_BYTES + ID_BYTES || bytes.toString("base64url") !== token) return null;
  const signed = bytes.subarray(MAC_BYTES);
  return timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(purpose, signed)) ? signed : null;
}

/** 128 bits of HMAC-SHA-256: the length that RFC 2104 section 5 allows at least. */
function mac(purpose: Purpose, signed: Buffer): Buffer {
  return createHmac("sha256", keyOf(purpose)).update(signed).digest().subarray(0, MAC_BYTES);
}

/** Keys of their own (RFC 5869): a token of one kind is worth nothing as the other, or elsewhere. */
function keyOf(purpose: Purpose): Buffer {
  const secret = instanceKey();
  let derived = keys.get(secret);
  if (!derived) {
    const derive = (info: string) => Buffer.from(hkdfSync("sha256", secret, "", info, 32));
    derived = {
      open: derive("posthouse tracking open"),
      click: derive("posthouse tracking click"),
    };
    keys.set(secret, derived);
  }
  return derived[purpose];
}

function idOf(signed: Buffer): string {
  return stringifyUuid(signed.subarray(0, ID_BYTES));
}
