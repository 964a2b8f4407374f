import { z } from "zod";

import { resetPassword as reset } from "#server/core/mailboxes/mailboxes/mailbox-passwords.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MAILBOX_NOT_FOUND, MailboxPath, PasswordReset } from "./mailbox-object.ts";

export const resetPassword = defineEndpoint({
  method: "POST",
  path: "/mailboxes/{email}/password",
  summary: "Reset a mailbox password",
  description:
    "Replaces the password with a temporary one and ends the user's sessions. The user signs in at `/account` with the temporary password and sets a new one; until then, mail apps can't sign in. App passwords are deleted unless `keep_app_passwords` is true.",
  permission: "full_access",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  params: MailboxPath,
  notFound: MAILBOX_NOT_FOUND,
  body: z
    .object({
      keep_app_passwords: z
        .boolean()
        .optional()
        .describe("Keep the app passwords, which otherwise are deleted"),
    })
    .optional(),
  response: PasswordReset,
  refusals: ["not_found", "invalid", "mail_server_error"],
  async handle({ ctx, key, params, body }) {
    const { mailbox, temporaryPassword } = await reset(ctx, key, params.email, {
      keepsAppPasswords: body?.keep_app_passwords,
    });
    return {
      object: "mailbox" as const,
      email: mailbox,
      force_password_change: true as const,
      temporary_password: temporaryPassword,
    };
  },
});
