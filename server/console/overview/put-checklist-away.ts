import { z } from "zod";

import { putChecklistAway as put } from "#server/core/operations/overview/checklist.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const putChecklistAway = defineEndpoint({
  method: "PATCH",
  path: "/console/api/overview/checklist",
  summary: "Put the list of first steps away for oneself, or bring it back",
  permission: "console",
  privilege: "api_controls",
  body: z.object({ is_put_away: z.boolean() }),
  bodyLimit: "directory",
  response: z.object({ is_put_away: z.boolean() }),
  refusals: ["cross_origin", "invalid"],
  async handle({ ctx, signedIn, body }) {
    await put(ctx, signedIn.email, { isPutAway: body.is_put_away });
    return body;
  },
});
