import { z } from "zod";

import { rotateDkimKeys } from "#server/core/domains/domains/rotate-dkim-keys.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const rotateKeys = defineEndpoint({
  method: "POST",
  path: "/console/api/domains/{id}/rotate-keys",
  summary: "Rotate a domain's DKIM keys",
  permission: "console",
  privilege: "domains",
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params }) => {
    await rotateDkimKeys(ctx, params.id);
    return { id: params.id };
  },
});
