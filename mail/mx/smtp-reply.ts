import type { SMTPServerAddress } from "smtp-server";

/** An error reply in SMTP (RFC 5321, 4.2; RFC 3463). */
export class SmtpReply extends Error {
  override name = "SmtpReply";
  readonly responseCode: number;

  constructor(responseCode: number, enhancedCode: `${4 | 5}.${number}.${number}`, text: string) {
    super(`${enhancedCode} ${text}`);
    this.responseCode = responseCode;
  }
}

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
