export type SignInRefusal =
  "wrong_credentials" | "too_many_attempts" | "suspended" | "must_change_password" | "not_allowed";

/** A mailbox user is not let in. Only who knows a right password hears more than `wrong_credentials`. */
export class SignInRefused extends Error {
  override name = "SignInRefused";
  readonly why: SignInRefusal;
  /** With `too_many_attempts`. */
  readonly retryAfterSeconds: number | null;

  constructor(
    why: SignInRefusal,
    message: string,
    { retryAfterSeconds = null }: { retryAfterSeconds?: number | null } = {},
  ) {
    super(message);
    this.why = why;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
