import { z } from "zod";

import { listProvenDomains } from "#server/core/domains/list-proven-domains.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getGroupOptions = defineEndpoint({
  method: "GET",
  path: "/console/api/group-options",
  summary: "Where a new group may be",
  permission: "console",
  privilege: "manage_groups",
  response: z.object({
    domains: z.array(z.string()).describe("Of the company, their ownership proven"),
  }),
  refusals: [],
  handle: async ({ ctx }) => ({ domains: await listProvenDomains(ctx) }),
});
