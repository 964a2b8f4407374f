/** How long a tracked link leads on, from the moment its email was accepted. */
export const LINK_DAYS = 180;

const DAY_MS = 86_400_000;

/**
 * Whether a link's time is over, by the email's id alone: for when the email itself is gone or cannot
 * be read. The id begins with the moment it was made at (RFC 9562 section 5.7).
 */
export function isExpiredById(emailId: string, now: Date): boolean {
  const madeAt = parseInt(emailId.replaceAll("-", "").slice(0, 12), 16);
  return now.getTime() - madeAt >= LINK_DAYS * DAY_MS;
}
