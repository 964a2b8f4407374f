import { z } from "zod";

import { DeletedId } from "#server/console/deleted-items/deleted-row.ts";
import { deleteDomain as remove } from "#server/core/domains/domains/deleted-domains.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const deleteDomain = defineEndpoint({
  method: "DELETE",
  path: "/console/api/domains/{id}",
  summary: "Delete a domain, which can be restored for a while",
  permission: "console",
  // Owners have every privilege, including `domains`.
  privilege: "owner",
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  response: z.object({
    id: z.uuid(),
    deleted: z.literal(true),
    deleted_id: DeletedId.nullable().describe(
      "Null for a domain that was never verified: it isn't kept",
    ),
  }),
  refusals: ["not_found", "resource_in_use"],
  handle: async ({ ctx, params }) => {
    const { deletedId } = await remove(ctx, params.id, { via: "console" });
    return { id: params.id, deleted: true as const, deleted_id: deletedId };
  },
});
