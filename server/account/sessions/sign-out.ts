import { z } from "zod";

import { endAccountSession } from "#server/core/access/sessions/account-sessions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const signOut = defineEndpoint({
  method: "POST",
  path: "/account/api/sign-out",
  summary: "Sign out",
  permission: "account_door",
  privilege: null,
  response: z.object({ signed_in: z.literal(false) }),
  refusals: [],
  handle: async ({ ctx, mailbox, headers }) => {
    headers.append("set-cookie", await endAccountSession(ctx.db, mailbox.sessionId));
    return { signed_in: false as const };
  },
});
