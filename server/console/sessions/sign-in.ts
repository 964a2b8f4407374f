import { z } from "zod";

import { signIn as start } from "#server/core/access/people/person-sign-in.ts";
import { STEP_MINUTES } from "#server/core/access/second-factors/factor-step.ts";
import { stepCookie } from "#server/core/access/sign-in/steps.ts";
import { secondFactorRequired, SIGNED_IN, SignInAnswer } from "#server/http/required-factors.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { Password, trimmedText } from "#server/http/text-fields.ts";

import { replaceSession } from "./replace-session.ts";
import { sessionOrigin } from "#server/http/session-origin.ts";

export const signIn = defineEndpoint({
  method: "POST",
  path: "/console/api/sign-in",
  summary: "Sign in with email address and password",
  permission: "same_origin",
  privilege: null,
  body: z.object({
    email: trimmedText(254),
    password: Password,
  }),
  bodyLimit: "directory",
  response: SignInAnswer,
  refusals: ["wrong_credentials", "not_allowed", "rate_limit_exceeded", "invalid"],
  handle: async ({ db, request, body, headers }) => {
    const result = await start(db, { ...body, origin: sessionOrigin(request) });
    if (result.kind === "signed_in") {
      await replaceSession(db, request, headers, result.cookie);
      return SIGNED_IN;
    }
    headers.append("set-cookie", stepCookie("console", result.token, STEP_MINUTES));
    return secondFactorRequired(result.factors);
  },
});
