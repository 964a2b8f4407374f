import type { SMTPServerAddress } from "smtp-server";

import { SmtpReply } from "./smtp-reply.ts";

/** What our answer to EHLO promises for MAIL FROM (RFC 1870, RFC 6152); for RCPT TO there is nothing. */
export const MAIL_PARAMETERS = ["SIZE", "BODY"];

/**
 * Refuses parameters that were not offered (RFC 5321, 4.1.1.11). Among them is whatever stands behind
 * a bare CR, which one server takes for space and another for the end of the line.
 *
 * @throws SmtpReply
 */
export function checkParameters({ args }: SMTPServerAddress, known: string[]): void {
  const unknown = Object.keys(args || {}).some((name) => !known.includes(name.toUpperCase()));
  if (unknown) throw new SmtpReply(555, "5.5.4", "Unsupported parameter");
}
