import { z } from "zod";

import { cancelEmail as cancel } from "#server/core/sending/emails/cancel-email.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { EmailPath, NOT_FOUND } from "./email-path.ts";

export const cancelEmail = defineEndpoint({
  method: "POST",
  path: "/console/api/emails/{id}/cancel",
  summary: "Cancel a scheduled email",
  permission: "console",
  privilege: "api_controls",
  params: EmailPath,
  notFound: NOT_FOUND,
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params: { id } }) => {
    await cancel(ctx, id);
    return { id };
  },
});
