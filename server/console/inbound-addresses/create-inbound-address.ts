import { z } from "zod";

import { createInboundAddress as create } from "#server/core/mailboxes/inbound-addresses/inbound-addresses.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const createInboundAddress = defineEndpoint({
  method: "POST",
  path: "/console/api/inbound-addresses",
  summary: "Create an inbound address",
  permission: "console",
  privilege: "manage_groups",
  body: z.object({ address: z.string().describe("An address, or `*@` and a domain") }),
  response: z.object({ address: z.string() }),
  refusals: ["missing_required_field", "invalid", "already_exists", "not_allowed"],
  handle: async ({ ctx, body }) => {
    const { address } = await create(ctx, body.address);
    return { address };
  },
});
