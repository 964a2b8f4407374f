import type { SMTPServerAddress } from "smtp-server";

import { SmtpReply } from "./smtp-reply.ts";

/** MAIL FROM parameters announced in EHLO (RFC 1870, RFC 6152). RCPT TO has none. */
export const MAIL_PARAMETERS = ["SIZE", "BODY"];

/**
 * Rejects parameters that EHLO did not announce (RFC 5321, 4.1.1.11). That includes text after a bare CR, which
 * some servers treat as white space and others as a line end.
 *
 * @throws SmtpReply
 */
export function checkParameters({ args }: SMTPServerAddress, known: string[]): void {
  const unknown = Object.keys(args || {}).some((name) => !known.includes(name.toUpperCase()));
  if (unknown) throw new SmtpReply(555, "5.5.4", "Unsupported parameter");
}
