import { z } from "zod";

import {
  ATTEMPT_MINUTES,
  startProviderAttempt,
} from "#server/core/access/single-sign-on/provider-attempt.ts";
import { stepCookie } from "#server/core/access/sign-in/step-cookie.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { trimmedText } from "#server/http/text-fields.ts";

export const startProviderSignIn = defineEndpoint({
  method: "POST",
  path: "/console/api/sign-in/provider/start",
  summary: "Start a sign-in at the company's identity provider",
  permission: "same_origin",
  privilege: null,
  body: z.union([
    z.object({ email: trimmedText(254) }),
    z.object({ provider_id: z.uuid().describe("From the company's sign-in link") }),
  ]),
  bodyLimit: "directory",
  response: z.object({ url: z.string().describe("The provider's page to open") }),
  refusals: ["not_found", "not_allowed", "rate_limit_exceeded", "invalid"],
  handle: async ({ db, request, body, headers }) => {
    const start = "email" in body ? body : { providerId: body.provider_id };
    const { token, url } = await startProviderAttempt(db, start, request.address);
    headers.append("set-cookie", stepCookie("console", token, ATTEMPT_MINUTES));
    return { url };
  },
});
