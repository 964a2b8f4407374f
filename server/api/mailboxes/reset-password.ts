import { resetPassword as reset } from "#server/core/mailboxes/mailboxes/reset-password.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MAILBOX_NOT_FOUND, MailboxPath, PasswordReset } from "./mailbox-object.ts";

export const resetPassword = defineEndpoint({
  method: "POST",
  path: "/mailboxes/{email}/password",
  summary: "Give a mailbox a temporary password",
  description:
    "The old password stops working and the user's sessions end at once. The user signs in with the temporary one at `/account` and sets one of their own; until then mail apps are not let in.",
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
