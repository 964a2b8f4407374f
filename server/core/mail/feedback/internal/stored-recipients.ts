import type { Email } from "#drizzle/schema/index.ts";

/** The recipients of an email that was accepted, each once. */
export function storedRecipients({ to, cc, bcc }: Email): string[] {
  return [...new Set([...to, ...cc, ...bcc])];
}
