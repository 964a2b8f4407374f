import { z } from "zod";

import { checkProvider as check } from "#server/core/access/single-sign-on/providers.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { trimmedText } from "#server/http/text-fields.ts";

export const checkProvider = defineEndpoint({
  method: "POST",
  path: "/console/api/single-sign-on/check",
  summary: "Read the metadata of an identity provider",
  permission: "console",
  privilege: "owner",
  body: z.object({ issuer: trimmedText(500) }),
  bodyLimit: "directory",
  response: z.object({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
  }),
  refusals: ["invalid"],
  async handle({ body }) {
    const found = await check(body.issuer);
    return {
      issuer: found.issuer,
      authorization_endpoint: found.authorizationEndpoint,
      token_endpoint: found.tokenEndpoint,
    };
  },
});
