import { Refusal } from "#server/core/shared/refusals.ts";

/** The error for a correct password where single sign-on is required. */
export const passwordNotAllowed = () =>
  new Refusal(
    "not_allowed",
    "Your company requires single sign-on. Sign in with your identity provider instead",
  );
