import { z } from "zod";

import { updateDomain as update } from "#server/core/domains/domains/domains.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const updateDomain = defineEndpoint({
  method: "PATCH",
  path: "/console/api/domains/{id}",
  summary: "Update a domain's settings",
  permission: "console",
  privilege: "domains",
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  body: z.object({
    open_tracking: z.boolean().optional(),
    click_tracking: z.boolean().optional(),
    one_click_unsubscribe: z.boolean().optional(),
    tracking_subdomain: z.string().trim().toLowerCase().nullable().optional(),
  }),
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, body }) => {
    await update(ctx, params.id, {
      openTracking: body.open_tracking,
      clickTracking: body.click_tracking,
      oneClickUnsubscribe: body.one_click_unsubscribe,
      trackingSubdomain: body.tracking_subdomain,
    });
    return { id: params.id };
  },
});
