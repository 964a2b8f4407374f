import { z } from "zod";

import { updateDomain as update } from "#server/core/domains/domains/update-domain.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const updateDomain = defineEndpoint({
  method: "PATCH",
  path: "/console/api/domains/{id}",
  summary: "Update a domain's tracking",
  permission: "console",
  privilege: "domains",
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  body: z.object({ open_tracking: z.boolean().optional(), click_tracking: z.boolean().optional() }),
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, body }) => {
    await update(ctx, params.id, {
      ...(body.open_tracking !== undefined && { openTracking: body.open_tracking }),
      ...(body.click_tracking !== undefined && { clickTracking: body.click_tracking }),
    });
    return { id: params.id };
  },
});
