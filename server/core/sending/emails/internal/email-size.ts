import type { EmailInput } from "#server/core/sending/emails/email-input.ts";

/** Approximate octets of bodies and attachments: the memory that composing takes. */
export const emailSize = ({ html, text, attachments, source }: EmailInput): number =>
  Buffer.byteLength(html ?? "") +
  Buffer.byteLength(text ?? "") +
  (source?.content.length ?? attachments.reduce((sum, { content }) => sum + content.length, 0));
