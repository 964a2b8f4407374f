import { z } from "zod";

import { removeProvider as remove } from "#server/core/access/single-sign-on/providers.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const removeProvider = defineEndpoint({
  method: "DELETE",
  path: "/console/api/single-sign-on",
  summary: "Remove the company's identity provider and end the sessions that started with it",
  permission: "console",
  privilege: "owner",
  response: z.object({ removed: z.literal(true) }),
  refusals: ["not_found", "not_allowed"],
  async handle({ ctx }) {
    await remove(ctx);
    return { removed: true as const };
  },
});
