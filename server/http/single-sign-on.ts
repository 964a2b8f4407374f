import { z } from "zod";

import { stepCookie } from "#server/core/access/sign-in/steps.ts";
import type { SignInArea, SignInStart } from "#server/core/access/single-sign-on/providers.ts";
import {
  ATTEMPT_MINUTES,
  startProviderAttempt,
} from "#server/core/access/single-sign-on/provider-attempt.ts";

import { change } from "./endpoint.ts";
import { trimmedText } from "./text-fields.ts";

/** The endpoint that starts single sign-on, of the console or `/account`. */
export const providerStart = (area: SignInArea) =>
  change({
    permission: "same_origin",
    privilege: null,
    body: ProviderStart,
    bodyLimit: "directory",
    handle: async ({ db, request, body: start, headers }) => {
      const { token, url } = await startProviderAttempt(db, area, {
        start,
        clientAddress: request.address,
      });
      headers.append("set-cookie", stepCookie(area, token, ATTEMPT_MINUTES));
      return { url };
    },
  });

/** Authorization codes of large providers have a few kilobytes. */
const CODE_MAX = 8_000;

/** How a sign-in at an identity provider begins. */
const ProviderStart = z
  .union([
    z.object({ email: trimmedText(254) }),
    z.object({ providerId: z.uuid().describe("From the company's sign-in link") }),
  ])
  .transform((start): SignInStart => ("email" in start ? start : { providerId: start.providerId }));

/** What the provider appended to the redirect URL. */
export const ProviderResponse = z.object({
  code: z.string().min(1).max(CODE_MAX),
  state: z.string().min(1).max(200),
  iss: z.string().max(2000).optional().describe("The issuer, if the provider names it"),
});
