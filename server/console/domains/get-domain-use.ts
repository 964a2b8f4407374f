import { z } from "zod";

import { countDomainUse } from "#server/core/domains/domains/deleted-domains.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getDomainUse = defineEndpoint({
  method: "GET",
  path: "/console/api/domains/{id}/use",
  summary: "Count the API keys, mailboxes, and scheduled emails of a domain",
  permission: "console",
  privilege: "api_controls",
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  response: z.object({
    api_keys: z.number().describe("Keys restricted to this domain"),
    mailboxes: z.number(),
    scheduled_emails: z.number(),
  }),
  refusals: ["not_found"],
  handle: async ({ ctx, params }) => {
    const { apiKeys, mailboxes, scheduledEmails } = await countDomainUse(ctx, params.id);
    return { api_keys: apiKeys, mailboxes, scheduled_emails: scheduledEmails };
  },
});
