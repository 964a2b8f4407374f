import { z } from "zod";

import { hideChecklist as put } from "#server/core/operations/overview/checklist.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const hideChecklist = defineEndpoint({
  method: "PATCH",
  path: "/console/api/overview/checklist",
  summary: "Hide or show the setup checklist for yourself",
  permission: "console",
  privilege: "api_controls",
  body: z.object({ is_hidden: z.boolean() }),
  bodyLimit: "directory",
  response: z.object({ is_hidden: z.boolean() }),
  refusals: ["invalid"],
  async handle({ ctx, signedIn, body }) {
    await put(ctx, signedIn.email, { isHidden: body.is_hidden });
    return body;
  },
});
