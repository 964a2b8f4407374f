import { z } from "zod";

import { emailChoices } from "#server/core/sending/emails/email-choices.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getEmailChoices = defineEndpoint({
  method: "GET",
  path: "/console/api/email-choices",
  summary: "What emails can be looked for by, and sent from",
  permission: "console",
  privilege: "api_controls",
  response: z.object({
    domains: z
      .array(z.object({ id: z.uuid(), name: z.string(), may_send: z.boolean() }))
      .describe("Their ownership proven; those that may send first"),
    keys: z
      .array(z.object({ id: z.uuid(), name: z.string(), is_revoked: z.boolean() }))
      .describe("Newest first, the revoked ones last"),
  }),
  refusals: [],
  handle: async ({ ctx }) => {
    const { domains, keys } = await emailChoices(ctx);
    return {
      domains: domains.map(({ id, name, maySend }) => ({ id, name, may_send: maySend })),
      keys: keys.map(({ id, name, isRevoked }) => ({ id, name, is_revoked: isRevoked })),
    };
  },
});
