/** A submission is rejected, with an enhanced status code (RFC 3463). */
export class SubmissionError extends Error {
  override name = "SubmissionError";
  /** 4.x.x can be retried. */
  readonly enhancedCode: `${4 | 5}.${number}.${number}`;

  constructor(enhancedCode: `${4 | 5}.${number}.${number}`, text: string) {
    super(text);
    this.enhancedCode = enhancedCode;
  }
}
