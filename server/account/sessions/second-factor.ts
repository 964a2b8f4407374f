import { z } from "zod";

import { readStepCookie, stepCookie } from "#server/core/access/sign-in/steps.ts";
import { completeAccountStep } from "#server/core/mailboxes/account/account-sign-in.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { ProofFields } from "#server/http/factor-fields.ts";
import { sessionOrigin } from "#server/http/session-origin.ts";

export const secondFactor = defineEndpoint({
  method: "POST",
  path: "/account/api/sign-in/second-factor",
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
  handle: async ({ db, request, body: proof, headers }) => {
    const cookieHeader = request.headers.cookie ?? "";
    const token = readStepCookie("account", cookieHeader);
    const browser = { cookieHeader, ...sessionOrigin(request) };
    headers.append("set-cookie", await completeAccountStep(db, { token, proof, browser }));
    headers.append("set-cookie", stepCookie("account", "", 0));
    return { signed_in: true as const };
  },
});
