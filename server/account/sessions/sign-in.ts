import { z } from "zod";

import { STEP_MINUTES } from "#server/core/access/second-factors/factor-step.ts";
import { stepCookie } from "#server/core/access/sign-in/steps.ts";
import { signInAtAccount } from "#server/core/mailboxes/account/account-sign-in.ts";
import { secondFactorRequired, SIGNED_IN, SignInAnswer } from "#server/http/required-factors.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { sessionOrigin } from "#server/http/session-origin.ts";
import { Password, trimmedText } from "#server/http/text-fields.ts";

export const signIn = defineEndpoint({
  method: "POST",
  path: "/account/api/sign-in",
  summary: "Sign in with the mailbox address and password",
  permission: "same_origin",
  privilege: null,
  body: z.object({
    address: trimmedText(320),
    password: Password,
  }),
  bodyLimit: "directory",
  response: SignInAnswer,
  refusals: ["wrong_credentials", "rate_limit_exceeded", "not_allowed", "invalid"],
  handle: async ({ db, request, body, headers }) => {
    const { address: username, password } = body;
    const browser = { cookieHeader: request.headers.cookie ?? "", ...sessionOrigin(request) };
    const result = await signInAtAccount(db, { username, password }, browser);
    if (result.kind === "signed_in") {
      headers.append("set-cookie", result.cookie);
      return SIGNED_IN;
    }
    headers.append("set-cookie", stepCookie("account", result.token, STEP_MINUTES));
    return secondFactorRequired(result.factors);
  },
});
