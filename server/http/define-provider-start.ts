import type { SignInArea } from "#server/core/access/single-sign-on/providers.ts";
import {
  ATTEMPT_MINUTES,
  startProviderAttempt,
} from "#server/core/access/single-sign-on/provider-attempt.ts";
import { stepCookie } from "#server/core/access/sign-in/steps.ts";

import { defineEndpoint } from "./endpoint.ts";
import { ProviderStart, ProviderUrl } from "./provider-fields.ts";

/** The endpoint that starts single sign-on, of the console or `/account`. */
export const defineProviderStart = <const Area extends SignInArea>(area: Area) =>
  defineEndpoint({
    method: "POST",
    path: `/${area}/api/sign-in/provider/start`,
    summary: "Start a sign-in at the company's identity provider",
    permission: "same_origin",
    privilege: null,
    body: ProviderStart,
    bodyLimit: "directory",
    response: ProviderUrl,
    refusals: ["not_found", "not_allowed", "rate_limit_exceeded", "invalid"],
    handle: async ({ db, request, body: start, headers }) => {
      const { token, url } = await startProviderAttempt(db, area, {
        ...{ start, clientAddress: request.address },
      });
      headers.append("set-cookie", stepCookie(area, token, ATTEMPT_MINUTES));
      return { url };
    },
  });
