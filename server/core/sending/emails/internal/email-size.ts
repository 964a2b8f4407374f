import type { EmailInput } from "#server/core/sending/emails/email-input.ts";

/** Octets of bodies and files, about: what making the message takes into memory. */
export const emailSize = ({ html, text, attachments, source }: EmailInput): number =>
  Buffer.byteLength(html ?? "") +
  Buffer.byteLength(text ?? "") +
  (source?.content.length ?? attachments.reduce((sum, { content }) => sum + content.length, 0));
