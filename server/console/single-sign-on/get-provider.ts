import { z } from "zod";

import { findProvider } from "#server/core/access/single-sign-on/find-provider.ts";
import { redirectUrl } from "#server/core/access/single-sign-on/provider-attempt.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getProvider = defineEndpoint({
  method: "GET",
  path: "/console/api/single-sign-on",
  summary: "Get the company's identity provider",
  permission: "console",
  privilege: "manage_settings",
  response: z.object({
    redirect_url: z.string().describe("To register with the provider"),
    provider: z
      .object({
        issuer: z.string(),
        client_id: z.string(),
        required_for_admins: z.boolean(),
        is_second_factor: z
          .boolean()
          .describe("Posthouse skips the second factor after single sign-on"),
        sign_in_url: z.string().describe("Signs in without asking for an address"),
        is_used_now: z.boolean().describe("Your session started with it"),
      })
      .nullable(),
  }),
  refusals: [],
  async handle({ ctx, signedIn }) {
    const found = await findProvider(ctx);
    const redirect = redirectUrl();
    return {
      redirect_url: redirect,
      provider: found && {
        ...{ issuer: found.issuer, client_id: found.clientId },
        required_for_admins: found.requiredForAdmins,
        is_second_factor: found.isSecondFactor,
        sign_in_url: `${redirect}?provider=${found.id}`,
        is_used_now: signedIn.providerId === found.id,
      },
    };
  },
});
