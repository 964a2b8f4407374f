import { z } from "zod";

import { resetPassword as reset } from "#server/core/mailboxes/mailboxes/mailbox-passwords.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxPath } from "./mailbox-row.ts";

export const resetPassword = defineEndpoint({
  method: "POST",
  path: "/console/api/mailboxes/{email}/password",
  summary: "Reset a mailbox's password to a temporary one",
  permission: "console",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  params: MailboxPath,
  body: z.object({ keep_app_passwords: z.boolean().optional() }).optional(),
  response: z.object({ temporary_password: z.string() }),
  refusals: ["not_found", "invalid", "mail_server_error"],
  async handle({ ctx, signedIn, params, body }) {
    const { temporaryPassword } = await reset(ctx, signedIn, params.email, {
      keepsAppPasswords: body?.keep_app_passwords,
    });
    return { temporary_password: temporaryPassword };
  },
});
