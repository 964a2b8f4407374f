import {
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from "node:crypto";

import { parse, stringify } from "uuid";

import { config } from "#server/config.ts";

import { instanceKey } from "./instance-key.ts";

type Purpose = keyof typeof PURPOSES;

/** The info of each purpose's key (RFC 5869), so that a token of one kind is invalid as another and elsewhere. */
const PURPOSES = {
  open: "posthouse tracking open",
  click: "posthouse tracking click",
  unsubscribe: "posthouse unsubscribe",
  test_unsubscribe: "posthouse test unsubscribe",
  forward: "posthouse forwarding",
  release: "posthouse quarantine release",
  download: "posthouse download",
};

const MAC_BYTES = 16;

const keys = new WeakMap<KeyObject, Map<Purpose, KeyObject>>();

/** A token for a link: `signed` with a MAC, in base64url. Deterministic. */
export const signLinkToken = (purpose: Purpose, signed: Buffer): string =>
  Buffer.concat([mac(purpose, signed), signed]).toString("base64url");

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

const EXPIRY_BYTES = 4;

/** Like `signLinkToken`, for a link that expires. */
export function signExpiringToken(purpose: Purpose, signed: Uint8Array, expiresAt: Date): string {
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeUInt32BE(Math.floor(expiresAt.getTime() / 1_000));
  return signLinkToken(purpose, Buffer.concat([expiry, signed]));
}

/** Like `readLinkToken`, for a link that expires. */
export function readExpiringToken(
  purpose: Purpose,
  token: string,
  now: Date,
): { signed: Buffer; isExpired: boolean } | null {
  const bytes = readLinkToken(purpose, token);
  if (!bytes) return null;
  const isExpired = bytes.readUInt32BE() * 1_000 <= now.getTime();
  return { signed: bytes.subarray(EXPIRY_BYTES), isExpired };
}

/** 128 bits of HMAC-SHA-256: the minimum of RFC 2104 section 5. */
const mac = (purpose: Purpose, signed: Buffer): Buffer =>
  createHmac("sha256", keyOf(purpose)).update(signed).digest().subarray(0, MAC_BYTES);

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

/** Kinds of files. Only append: a link contains its kind's position. */
const FILE_KINDS = ["sent_attachment", "received_attachment", "received_message"] as const;

/** A file of an email that a link downloads without an API key. */
export type DownloadFile = {
  kind: (typeof FILE_KINDS)[number];
  companyId: string;
  emailId: string;
  /** Position of an attachment in its email, from 0; 0 for a whole message. */
  position: number;
};

export const DOWNLOAD_PATH = "/downloads/";

const VALID_MS = 60 * 60_000;
const ID_BYTES = 16;
const HEAD_BYTES = 3;

/** A URL that downloads a file, and when it expires: after an hour. */
export function downloadUrl(file: DownloadFile, now: Date): { url: string; expiresAt: Date } {
  const expiresAt = new Date(Math.floor((now.getTime() + VALID_MS) / 1_000) * 1_000);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(FILE_KINDS.indexOf(file.kind));
  head.writeUInt16BE(file.position, 1);
  const signed = Buffer.concat([head, parse(file.companyId), parse(file.emailId)]);
  const token = signExpiringToken("download", signed, expiresAt);
  return { url: `${config().baseUrl}${DOWNLOAD_PATH}${token}`, expiresAt };
}

/** What a link's token says; null unless this instance signed it. */
export function readDownloadToken(
  token: string,
  now: Date,
): (DownloadFile & { isExpired: boolean }) | null {
  const read = readExpiringToken("download", token, now);
  if (!read) return null;
  const { signed, isExpired } = read;
  return {
    isExpired,
    kind: FILE_KINDS[signed.readUInt8()]!,
    position: signed.readUInt16BE(1),
    companyId: stringify(signed.subarray(HEAD_BYTES, HEAD_BYTES + ID_BYTES)),
    emailId: stringify(signed.subarray(HEAD_BYTES + ID_BYTES)),
  };
}
