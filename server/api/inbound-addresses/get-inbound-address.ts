import { getInboundAddress as get } from "#server/core/mailboxes/inbound-addresses/inbound-addresses.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import {
  InboundAddressObject,
  inboundAddressObject,
  InboundAddressPath,
} from "./inbound-address-object.ts";

export const getInboundAddress = defineEndpoint({
  method: "GET",
  path: "/inbound-addresses/{address}",
  summary: "Retrieve an inbound address",
  permission: "full_access",
  privilege: ["view_groups", "api_controls"],
  params: InboundAddressPath,
  response: InboundAddressObject,
  refusals: ["not_found"],
  handle: async ({ ctx, params }) => inboundAddressObject(await get(ctx, params.address)),
});
