import { z } from "zod";

import { deleteDomain as remove } from "#server/core/domains/domains/delete-domain.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const deleteDomain = defineEndpoint({
  method: "DELETE",
  path: "/console/api/domains/{id}",
  summary: "Delete a domain permanently",
  permission: "console",
  // Owners have every privilege, including `domains`.
  privilege: "owner",
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  response: z.object({ id: z.uuid(), deleted: z.literal(true) }),
  refusals: ["not_found", "resource_in_use"],
  handle: async ({ ctx, params }) => {
    await remove(ctx, params.id, { via: "console" });
    return { id: params.id, deleted: true as const };
  },
});
