import type { Email } from "#drizzle/schema/index.ts";

/** The distinct recipients of an email. */
export function storedRecipients({ to, cc, bcc }: Email): string[] {
  return [...new Set([...to, ...cc, ...bcc])];
}
