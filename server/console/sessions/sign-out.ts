import { z } from "zod";

import { endSession } from "#server/core/access/sessions/sessions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const signOut = defineEndpoint({
  method: "POST",
  path: "/console/api/sign-out",
  summary: "Sign out",
  // Also available to admins who must set up a second factor first.
  permission: "console_door",
  privilege: null,
  response: z.object({ signed_in: z.literal(false) }),
  refusals: [],
  handle: async ({ ctx, signedIn, headers }) => {
    headers.append("set-cookie", await endSession(ctx.db, signedIn.sessionId));
    return { signed_in: false as const };
  },
});
