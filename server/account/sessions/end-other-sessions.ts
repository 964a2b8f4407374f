import { z } from "zod";

import { endOtherSessions as endOthers } from "#server/core/mailboxes/account/mail-app-sessions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const endOtherSessions = defineEndpoint({
  method: "POST",
  path: "/account/api/sessions/end-others",
  summary: "End all other sessions, including mail apps",
  permission: "account",
  privilege: null,
  response: z.object({ ended: z.literal(true) }),
  refusals: ["mail_server_error"],
  handle: async ({ ctx, mailbox }) => {
    await endOthers(ctx, mailbox);
    return { ended: true as const };
  },
});
