import { z } from "zod";

import { endOwnOtherSessions as end } from "#server/core/access/sessions/console-sessions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const endOwnOtherSessions = defineEndpoint({
  method: "DELETE",
  path: "/console/api/profile/sessions",
  summary: "End all your other sessions",
  permission: "console_door",
  privilege: null,
  response: z.object({ ended: z.number() }),
  refusals: [],
  handle: async ({ ctx, signedIn }) => ({ ended: await end(ctx, signedIn) }),
});
