import {
  ATTEMPT_MINUTES,
  startProviderAttempt,
} from "#server/core/access/single-sign-on/provider-attempt.ts";
import { stepCookie } from "#server/core/access/sign-in/step-cookie.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { ProviderStart, ProviderUrl } from "#server/http/provider-fields.ts";

export const startProviderSignIn = defineEndpoint({
  method: "POST",
  path: "/console/api/sign-in/provider/start",
  summary: "Start a sign-in at the company's identity provider",
  permission: "same_origin",
  privilege: null,
  body: ProviderStart,
  bodyLimit: "directory",
  response: ProviderUrl,
  refusals: ["not_found", "not_allowed", "rate_limit_exceeded", "invalid"],
  handle: async ({ db, request, body: start, headers }) => {
    const { token, url } = await startProviderAttempt(db, "console", {
      ...{ start, clientAddress: request.address },
    });
    headers.append("set-cookie", stepCookie("console", token, ATTEMPT_MINUTES));
    return { url };
  },
});
