import type { EmailInput } from "#server/core/sending/emails/email-input.ts";

type Addressed = Pick<EmailInput, "to" | "cc" | "bcc">;

/** Each address once, whichever fields name it: one copy is enough. */
export function uniqueRecipients({ to, cc, bcc }: Addressed): string[] {
  if (to.length === 1 && cc.length === 0 && bcc.length === 0) return [to[0]!.address];
  return [...new Set([...to, ...cc, ...bcc].map(({ address }) => address))];
}

/** What the email counts in every quota: each address in each field. */
export const countRecipients = ({ to, cc, bcc }: Addressed): number =>
  to.length + cc.length + bcc.length;
