import { z } from "zod";

import { DeletedId } from "#server/console/deleted-items/deleted-row.ts";
import { deleteInboundAddress as remove } from "#server/core/mailboxes/inbound-addresses/inbound-addresses.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { InboundAddressPath } from "./inbound-address-row.ts";

export const deleteInboundAddress = defineEndpoint({
  method: "DELETE",
  path: "/console/api/inbound-addresses/{address}",
  summary: "Delete an inbound address, which can be restored for a while",
  permission: "console",
  privilege: "manage_groups",
  params: InboundAddressPath,
  notFound: "Inbound address not found",
  response: z.object({ address: z.string(), deleted_id: DeletedId }),
  refusals: ["not_found"],
  async handle({ ctx, params }) {
    const { address, deletedId } = await remove(ctx, params.address);
    return { address, deleted_id: deletedId };
  },
});
