import { finishMailboxProviderSignIn } from "#server/core/mailboxes/account/account-sign-in.ts";
import { STEP_MINUTES } from "#server/core/access/second-factors/factor-step.ts";
import { readStepCookie, stepCookie } from "#server/core/access/sign-in/steps.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { ProviderResponse } from "#server/http/provider-fields.ts";
import { secondFactorRequired, SIGNED_IN, SignInAnswer } from "#server/http/required-factors.ts";
import { sessionOrigin } from "#server/http/session-origin.ts";

export const providerSignIn = defineEndpoint({
  method: "POST",
  path: "/account/api/sign-in/provider",
  summary: "Sign in, or verify your identity, with the response of the identity provider",
  permission: "same_origin",
  privilege: null,
  body: ProviderResponse,
  bodyLimit: "directory",
  response: SignInAnswer,
  refusals: ["not_signed_in", "not_allowed", "invalid"],
  handle: async ({ db, request, body: answer, headers }) => {
    const cookieHeader = request.headers.cookie ?? "";
    const token = readStepCookie("account", cookieHeader);
    const browser = { cookieHeader, ...sessionOrigin(request) };
    const result = await finishMailboxProviderSignIn(db, { token, answer, browser });
    if (result.kind !== "second_factor") {
      if (result.kind === "signed_in") headers.append("set-cookie", result.cookie);
      headers.append("set-cookie", stepCookie("account", "", 0));
      return SIGNED_IN;
    }
    headers.append("set-cookie", stepCookie("account", result.token, STEP_MINUTES));
    return secondFactorRequired(result.factors);
  },
});
