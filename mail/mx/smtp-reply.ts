/** An error reply in SMTP (RFC 5321, 4.2; RFC 3463). */
export class SmtpReply extends Error {
  override name = "SmtpReply";
  readonly responseCode: number;

  constructor(responseCode: number, enhancedCode: `${4 | 5}.${number}.${number}`, text: string) {
    super(`${enhancedCode} ${text}`);
    this.responseCode = responseCode;
  }
}
