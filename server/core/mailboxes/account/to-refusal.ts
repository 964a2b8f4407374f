import { SignInError } from "#server/core/access/sign-in/sign-in-error.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** Converts sign-in errors, which are worded for mail protocols, to API errors. */
export async function toRefusal<T>(signingIn: Promise<T>): Promise<T> {
  try {
    return await signingIn;
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    const { message, retryAfterSeconds } = error;
    const text = message.replace(/\.$/, "");
    if (error.why === "wrong_credentials") throw new Refusal("wrong_credentials", text);
    if (error.why === "too_many_attempts")
      throw new Refusal("rate_limit_exceeded", text, { retryAfterSeconds });
    throw new Refusal("not_allowed", text);
  }
}
