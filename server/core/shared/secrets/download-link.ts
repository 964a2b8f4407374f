import { parse as parseUuid, stringify as stringifyUuid } from "uuid";

import { config } from "#server/config.ts";

import { readLinkToken, signLinkToken } from "./link-token.ts";

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
const EXPIRY_BYTES = 4;
const ID_BYTES = 16;
const HEAD_BYTES = EXPIRY_BYTES + 3;

/** A URL that downloads a file, and when it expires: after an hour. */
export function downloadUrl(file: DownloadFile, now: Date): { url: string; expiresAt: Date } {
  const expirySeconds = Math.floor((now.getTime() + VALID_MS) / 1_000);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(expirySeconds);
  head.writeUInt8(FILE_KINDS.indexOf(file.kind), EXPIRY_BYTES);
  head.writeUInt16BE(file.position, EXPIRY_BYTES + 1);
  const signed = Buffer.concat([head, parseUuid(file.companyId), parseUuid(file.emailId)]);
  return {
    url: `${config().baseUrl}${DOWNLOAD_PATH}${signLinkToken("download", signed)}`,
    expiresAt: new Date(expirySeconds * 1_000),
  };
}

/** What a link's token says; null unless this instance signed it. */
export function readDownloadToken(
  token: string,
  now: Date,
): (DownloadFile & { isExpired: boolean }) | null {
  const signed = readLinkToken("download", token);
  if (!signed) return null;
  return {
    isExpired: signed.readUInt32BE() * 1_000 <= now.getTime(),
    kind: FILE_KINDS[signed.readUInt8(EXPIRY_BYTES)]!,
    position: signed.readUInt16BE(EXPIRY_BYTES + 1),
    companyId: stringifyUuid(signed.subarray(HEAD_BYTES, HEAD_BYTES + ID_BYTES)),
    emailId: stringifyUuid(signed.subarray(HEAD_BYTES + ID_BYTES)),
  };
}
