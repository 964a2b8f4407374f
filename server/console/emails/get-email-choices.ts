import { z } from "zod";

import { getEmailFilterOptions } from "#server/core/sending/emails/email-filter-options.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getEmailChoices = defineEndpoint({
  method: "GET",
  path: "/console/api/email-choices",
  summary: "List the domains and API keys available for filtering and sending",
  permission: "console",
  privilege: "api_controls",
  response: z.object({
    domains: z
      .array(z.object({ id: z.uuid(), name: z.string(), may_send: z.boolean() }))
      .describe("Domains with verified ownership; those that can send come first"),
    keys: z
      .array(z.object({ id: z.uuid(), name: z.string(), is_revoked: z.boolean() }))
      .describe("Newest first; revoked keys last"),
  }),
  refusals: [],
  handle: async ({ ctx }) => {
    const { domains, keys } = await getEmailFilterOptions(ctx);
    return {
      domains: domains.map(({ id, name, canSend }) => ({ id, name, may_send: canSend })),
      keys: keys.map(({ id, name, isRevoked }) => ({ id, name, is_revoked: isRevoked })),
    };
  },
});
