import { z } from "zod";

import { ProofFields } from "#server/http/factor-fields.ts";
import { completeSecondStep } from "#server/core/access/people/person-sign-in.ts";
import { readStepCookie } from "#server/core/access/sign-in/steps.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { replaceSession } from "./replace-session.ts";
import { sessionOrigin } from "#server/http/session-origin.ts";

export const secondFactor = defineEndpoint({
  method: "POST",
  path: "/console/api/sign-in/second-factor",
  summary: "Verify the second factor",
  permission: "same_origin",
  privilege: null,
  body: ProofFields,
  bodyLimit: "directory",
  response: z.object({ signed_in: z.literal(true) }),
  refusals: [
    ...(["wrong_credentials", "not_signed_in", "rate_limit_exceeded"] as const),
    ...(["invalid", "not_allowed"] as const),
  ],
  handle: async ({ db, request, body, headers }) => {
    const token = readStepCookie("console", request.headers.cookie ?? "");
    const cookie = await completeSecondStep(db, {
      token,
      proof: body,
      origin: sessionOrigin(request),
    });
    await replaceSession(db, request, headers, cookie);
    return { signed_in: true as const };
  },
});
