import { parse as parseUuid, stringify as stringifyUuid } from "uuid";

import { config } from "#server/config.ts";
import { readLinkToken, signLinkToken } from "#server/core/shared/secrets/link-token.ts";

/** A message in quarantine that a link releases to one of its mailboxes. */
export type ReleaseLink = { companyId: string; quarantineId: string; mailbox: string };

export const RELEASE_PATH = "/release/";

const DAYS_VALID = 14;
const DAY_MS = 86_400_000;
const EXPIRY_BYTES = 4;
const ID_BYTES = 16;

/** The URL that releases a message, for 14 days. */
export function releaseUrl(link: ReleaseLink, now: Date): string {
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeUInt32BE(Math.floor((now.getTime() + DAYS_VALID * DAY_MS) / 1_000));
  const { companyId, quarantineId, mailbox } = link;
  const signed = [expiry, parseUuid(companyId), parseUuid(quarantineId), Buffer.from(mailbox)];
  return `${config().baseUrl}${RELEASE_PATH}${signLinkToken("release", Buffer.concat(signed))}`;
}

/** What a link's token says; null unless this instance signed it. */
export function readReleaseToken(
  token: string,
  now: Date,
): (ReleaseLink & { isExpired: boolean }) | null {
  const signed = readLinkToken("release", token);
  if (!signed) return null;
  const id = (at: number) => stringifyUuid(signed.subarray(at, at + ID_BYTES));
  return {
    isExpired: signed.readUInt32BE() * 1_000 <= now.getTime(),
    companyId: id(EXPIRY_BYTES),
    quarantineId: id(EXPIRY_BYTES + ID_BYTES),
    mailbox: signed.toString("utf8", EXPIRY_BYTES + 2 * ID_BYTES),
  };
}
