import { z } from "zod";

import { listKeyChoices } from "#server/core/access/api-keys/key-list.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getKeyChoices = defineEndpoint({
  method: "GET",
  path: "/console/api/api-keys/choices",
  summary: "List the domains a key can be restricted to and the company's allow-list",
  permission: "console",
  privilege: "api_controls",
  response: z.object({
    domains: z.array(z.object({ id: z.uuid(), name: z.string() })),
    company_addresses: z.array(z.string()).describe("The company's allow-list; empty allows all"),
    your_address: z.string().describe("The IP address of this request"),
  }),
  refusals: [],
  async handle({ ctx, request }) {
    const { domains, companyAddresses } = await listKeyChoices(ctx);
    return { domains, company_addresses: companyAddresses, your_address: request.address };
  },
});
