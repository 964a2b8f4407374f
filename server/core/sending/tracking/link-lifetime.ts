/** How long tracked links work, from the email's acceptance. */
export const LINK_DAYS = 180;

const DAY_MS = 86_400_000;

/**
 * Whether a link has expired, by the email's id alone: for when the email is deleted or can't be read. A
 * UUIDv7 starts with its creation time (RFC 9562 section 5.7).
 */
export function isExpiredById(emailId: string, now: Date): boolean {
  const madeAt = parseInt(emailId.replaceAll("-", "").slice(0, 12), 16);
  return now.getTime() - madeAt >= LINK_DAYS * DAY_MS;
}
