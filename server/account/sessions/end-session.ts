import { z } from "zod";

import { Refusal } from "#server/core/shared/refusals.ts";
import { endListedSession } from "#server/core/access/sessions/account-sessions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const endSession = defineEndpoint({
  method: "DELETE",
  path: "/account/api/sessions/{id}",
  summary: "End a browser session",
  permission: "account",
  privilege: null,
  params: z.object({ id: z.string().regex(/^[0-9a-f]{32}$/) }),
  notFound: "Session not found",
  response: z.object({ ended: z.literal(true) }),
  refusals: ["not_found"],
  handle: async ({ ctx, mailbox, params }) => {
    if (!(await endListedSession(ctx, mailbox, params.id)))
      throw new Refusal("not_found", "Session not found");
    return { ended: true as const };
  },
});
