import { resetPassword as reset } from "#server/core/mailboxes/mailboxes/reset-password.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MAILBOX_NOT_FOUND, MailboxPath, PasswordReset } from "./mailbox-object.ts";

export const resetPassword = defineEndpoint({
  method: "POST",
  path: "/mailboxes/{email}/password",
  summary: "Reset a mailbox password",
  description:
    "Replaces the password with a temporary one and ends the user's sessions. The user signs in at `/account` with the temporary password and sets a new one; until then, mail apps can't sign in.",
  permission: "full_access",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  params: MailboxPath,
  notFound: MAILBOX_NOT_FOUND,
  response: PasswordReset,
  refusals: ["not_found", "mail_server_error"],
  async handle({ ctx, key, params }) {
    const { mailbox, temporaryPassword } = await reset(ctx, key, params.email);
    return {
      object: "mailbox" as const,
      email: mailbox,
      force_password_change: true as const,
      temporary_password: temporaryPassword,
    };
  },
});
