import { z } from "zod";

import { Signed } from "#server/http/factor-fields.ts";
import { finishPasskeySignIn } from "#server/core/access/people/person-sign-in.ts";
import { readStepCookie } from "#server/core/access/sign-in/steps.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { replaceSession } from "./replace-session.ts";
import { sessionOrigin } from "#server/http/session-origin.ts";

export const passkeySignIn = defineEndpoint({
  method: "POST",
  path: "/console/api/sign-in/passkey",
  summary: "Sign in with a passkey",
  permission: "same_origin",
  privilege: null,
  body: z.object({ response: Signed }),
  bodyLimit: "directory",
  response: z.object({ signed_in: z.literal(true) }),
  refusals: ["wrong_credentials", "invalid", "not_allowed"],
  handle: async ({ db, request, body, headers }) => {
    const token = readStepCookie("console", request.headers.cookie ?? "");
    const { response } = body;
    const cookie = await finishPasskeySignIn(db, {
      token,
      response,
      origin: sessionOrigin(request),
    });
    await replaceSession(db, request, headers, cookie);
    return { signed_in: true as const };
  },
});
