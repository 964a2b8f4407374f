import { parse, stringify } from "uuid";

import { readLinkToken, signLinkToken } from "#server/core/shared/secrets/link-token.ts";

/** An email of this instance and a link it contained, verified by the token's signature. */
export type TrackedLink = { emailId: string; url: string };

/** Who unsubscribes, from whom, and the email that has the link. */
export type UnsubscribeLink = {
  companyId: string;
  emailId: string;
  recipient: string;
  /** Whether the email is a test email. */
  isTest: boolean;
};

const ID_BYTES = 16;

/** The token of an email's tracking image: its signed id. */
export const signOpen = (emailId: string): string =>
  signLinkToken("open", Buffer.from(parse(emailId)));

/** The token of a link: the email's id and the URL, signed together. Deterministic. */
export const signClick = ({ emailId, url }: TrackedLink): string =>
  signLinkToken("click", Buffer.concat([parse(emailId), Buffer.from(url)]));

/** Returns the email's id; null unless this instance signed the token. */
export function readOpen(token: string): string | null {
  const signed = readLinkToken("open", token);
  return signed && idOf(signed);
}

/** Returns the link; null unless this instance signed the token as a link. */
export function readClick(token: string): TrackedLink | null {
  const signed = readLinkToken("click", token);
  if (!signed) return null;
  return { emailId: idOf(signed), url: signed.toString("utf8", ID_BYTES) };
}

/** The token of an email's unsubscribe link. It stays valid when the email is deleted. */
export function signUnsubscribe(link: UnsubscribeLink): string {
  const ids = [parse(link.companyId), parse(link.emailId)];
  const signed = Buffer.concat([...ids, Buffer.from(link.recipient)]);
  return signLinkToken(link.isTest ? "test_unsubscribe" : "unsubscribe", signed);
}

/** Returns what an unsubscribe link says; null unless this instance signed it. */
export function readUnsubscribe(token: string): UnsubscribeLink | null {
  const live = readLinkToken("unsubscribe", token);
  const signed = live ?? readLinkToken("test_unsubscribe", token);
  if (!signed) return null;
  return {
    isTest: live === null,
    companyId: idOf(signed),
    emailId: idOf(signed.subarray(ID_BYTES)),
    recipient: signed.toString("utf8", 2 * ID_BYTES),
  };
}

const idOf = (signed: Buffer): string => stringify(signed.subarray(0, ID_BYTES));

/** How long tracked links work, from the email's acceptance. */
export const TRACKED_LINK_DAYS = 180;

const DAY_MS = 86_400_000;

/**
 * Whether a link has expired, by the email's id alone: for when the email is deleted or can't be read. A
 * UUIDv7 starts with its creation time (RFC 9562 section 5.7).
 */
export function isExpiredById(emailId: string, now: Date): boolean {
  const madeAt = parseInt(emailId.replaceAll("-", "").slice(0, 12), 16);
  return now.getTime() - madeAt >= TRACKED_LINK_DAYS * DAY_MS;
}
