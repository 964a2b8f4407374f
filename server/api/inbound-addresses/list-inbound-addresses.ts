import { listInboundAddresses as list } from "#server/core/mailboxes/inbound-addresses/inbound-addresses.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf } from "#server/http/pagination.ts";

import { InboundAddressObject, inboundAddressObject } from "./inbound-address-object.ts";

export const listInboundAddresses = defineEndpoint({
  method: "GET",
  path: "/inbound-addresses",
  summary: "List inbound addresses",
  description: "Ordered by address, catch-alls first. The list is not paginated.",
  permission: "full_access",
  privilege: ["view_groups", "api_controls"],
  response: listOf(InboundAddressObject),
  refusals: [],
  handle: async ({ ctx }) =>
    listObject({ rows: await list(ctx), hasMore: false }, inboundAddressObject),
});
