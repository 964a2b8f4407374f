import { z } from "zod";

import { resendPasswordLink as resend } from "#server/core/mailboxes/sign-in/password-link.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxPath } from "./mailbox-row.ts";

export const resendPasswordLink = defineEndpoint({
  method: "POST",
  path: "/console/api/mailboxes/{email}/password-link",
  summary: "Email a new link to set a mailbox's password; earlier links stop working",
  permission: "console",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  params: MailboxPath,
  body: z.object({ to: z.string().describe("A private address of the mailbox user") }),
  response: z.object({ sent_to: z.string() }),
  refusals: ["not_found", "invalid", "not_allowed", "rate_limit_exceeded"],
  handle: async ({ ctx, signedIn, params, body }) => ({
    sent_to: await resend(ctx, signedIn, params.email, { to: body.to, sentBy: signedIn.email }),
  }),
});
