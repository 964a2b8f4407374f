import { z } from "zod";

import { revokeAppPassword as revoke } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxPath } from "./mailbox-row.ts";

export const revokeAppPassword = defineEndpoint({
  method: "DELETE",
  path: "/console/api/mailboxes/{email}/app-passwords/{id}",
  summary: "Revoke an app password of a mailbox",
  permission: "console",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  params: MailboxPath.extend({ id: z.string() }),
  response: z.object({ id: z.string() }),
  refusals: ["not_found"],
  async handle({ ctx, signedIn, params: { email, id } }) {
    await revoke(ctx, signedIn, email, id);
    return { id };
  },
});
