import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { listInboundAddresses as list } from "#server/core/mailboxes/inbound-addresses/inbound-addresses.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { InboundAddressRow } from "./inbound-address-row.ts";

export const listInboundAddresses = defineEndpoint({
  method: "GET",
  path: "/console/api/inbound-addresses",
  summary: "List inbound addresses",
  permission: "console",
  privilege: ["view_groups", "api_controls"],
  response: z.object({ data: z.array(InboundAddressRow) }),
  refusals: [],
  async handle({ ctx }) {
    const found = await list(ctx);
    const data = found.map(({ address, createdAt }) => ({
      address,
      created_at: consoleTimestamp(createdAt),
    }));
    return { data };
  },
});
