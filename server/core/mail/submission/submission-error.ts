/** A message that somebody signed in may not send, or not now, in terms of RFC 3463. */
export class SubmissionError extends Error {
  override name = "SubmissionError";
  /** Class 4: it may be sent again later. */
  readonly enhancedCode: `${4 | 5}.${number}.${number}`;

  constructor(enhancedCode: `${4 | 5}.${number}.${number}`, text: string) {
    super(text);
    this.enhancedCode = enhancedCode;
  }
}
