export type SignInErrorReason =
  "wrong_credentials" | "too_many_attempts" | "suspended" | "must_change_password" | "not_allowed";

/**
 * A rejected sign-in of a mailbox user. Only a correct password earns a more specific reason than
 * `wrong_credentials`.
 */
export class SignInError extends Error {
  override name = "SignInError";
  readonly why: SignInErrorReason;
  /** Only with `too_many_attempts`. */
  readonly retryAfterSeconds: number | null;

  constructor(
    why: SignInErrorReason,
    message: string,
    { retryAfterSeconds = null }: { retryAfterSeconds?: number | null } = {},
  ) {
    super(message);
    this.why = why;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
