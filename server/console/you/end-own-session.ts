import { z } from "zod";

import { endOwnSession as end } from "#server/core/sessions/end-console-session.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { SessionName } from "./session-row.ts";

export const endOwnSession = defineEndpoint({
  method: "DELETE",
  path: "/console/api/you/sessions/{id}",
  summary: "End one of one's own sessions",
  permission: "console_door",
  privilege: null,
  params: SessionName,
  response: z.object({ ended: z.literal(true) }),
  refusals: ["not_found", "cross_origin"],
  notFound: "Session not found",
  handle: async ({ ctx, signedIn, params }) => {
    await end(ctx, signedIn, params.id);
    return { ended: true as const };
  },
});
