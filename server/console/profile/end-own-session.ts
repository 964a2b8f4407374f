import { z } from "zod";

import { endOwnSession as end } from "#server/core/access/sessions/console-sessions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { SessionParams } from "./session-row.ts";

export const endOwnSession = defineEndpoint({
  method: "DELETE",
  path: "/console/api/profile/sessions/{id}",
  summary: "End one of your sessions",
  permission: "console_door",
  privilege: null,
  params: SessionParams,
  response: z.object({ ended: z.literal(true) }),
  refusals: ["not_found"],
  notFound: "Session not found",
  handle: async ({ ctx, signedIn, params }) => {
    await end(ctx, signedIn, params.id);
    return { ended: true as const };
  },
});
