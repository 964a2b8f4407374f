import { z } from "zod";

import { findMainDomain, listVerifiedDomains } from "#server/core/mailboxes/addresses/addresses.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getGroupOptions = defineEndpoint({
  method: "GET",
  path: "/console/api/group-options",
  summary: "List domains available for new groups",
  permission: "console",
  privilege: "manage_groups",
  response: z.object({
    domains: z.array(z.string()).describe("Verified domains of the company"),
    main_domain: z.string().nullable().describe("The one with the most mailboxes"),
  }),
  refusals: [],
  async handle({ ctx }) {
    const [domains, main] = await Promise.all([listVerifiedDomains(ctx), findMainDomain(ctx)]);
    return { domains, main_domain: main };
  },
});
