import { finishProviderSignIn } from "#server/core/access/people/person-sign-in.ts";
import { STEP_MINUTES } from "#server/core/access/second-factors/factor-step.ts";
import { readStepCookie, stepCookie } from "#server/core/access/sign-in/steps.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { ProviderResponse } from "#server/http/provider-fields.ts";
import { secondFactorRequired, SIGNED_IN, SignInAnswer } from "#server/http/required-factors.ts";
import { sessionOrigin } from "#server/http/session-origin.ts";

import { replaceSession } from "./replace-session.ts";

export const providerSignIn = defineEndpoint({
  method: "POST",
  path: "/console/api/sign-in/provider",
  summary: "Sign in with the response of the identity provider",
  permission: "same_origin",
  privilege: null,
  body: ProviderResponse,
  bodyLimit: "directory",
  response: SignInAnswer,
  refusals: ["not_signed_in", "not_allowed", "invalid"],
  handle: async ({ db, request, body: answer, headers }) => {
    const token = readStepCookie("console", request.headers.cookie ?? "");
    const origin = sessionOrigin(request);
    const result = await finishProviderSignIn(db, { token, answer, origin });
    if (result.kind === "signed_in") {
      await replaceSession(db, request, headers, result.cookie);
      return SIGNED_IN;
    }
    headers.append("set-cookie", stepCookie("console", result.token, STEP_MINUTES));
    return secondFactorRequired(result.factors);
  },
});
