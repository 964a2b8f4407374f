import { z } from "zod";

import { endMailAppSessionsFrom } from "#server/core/mailboxes/account/mail-app-sessions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const endMailAppSessions = defineEndpoint({
  method: "POST",
  path: "/account/api/sessions/end-mail-apps",
  summary: "Sign out the mail apps at an IP address",
  permission: "account",
  privilege: null,
  body: z.object({ client_address: z.union([z.ipv4(), z.ipv6()]) }),
  bodyLimit: "directory",
  response: z.object({ ended: z.literal(true) }),
  refusals: ["not_found", "mail_server_error", "invalid"],
  handle: async ({ ctx, mailbox, body }) => {
    await endMailAppSessionsFrom(ctx, mailbox.address, body.client_address);
    return { ended: true as const };
  },
});
