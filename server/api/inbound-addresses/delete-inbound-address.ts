import { deleteInboundAddress as remove } from "#server/core/mailboxes/inbound-addresses/inbound-addresses.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { InboundAddressDeleted, InboundAddressPath } from "./inbound-address-object.ts";

export const deleteInboundAddress = defineEndpoint({
  method: "DELETE",
  path: "/inbound-addresses/{address}",
  summary: "Delete an inbound address",
  description:
    "Mail to the address is no longer accepted. The emails that it received stay. In the console, owners can restore it for 20 days, unless the operator changed `keep_deleted_days`.",
  permission: "full_access",
  privilege: "manage_groups",
  params: InboundAddressPath,
  response: InboundAddressDeleted,
  refusals: ["not_found"],
  async handle({ ctx, params }) {
    const { address } = await remove(ctx, params.address);
    return { object: "inbound_address" as const, address, deleted: true as const };
  },
});
