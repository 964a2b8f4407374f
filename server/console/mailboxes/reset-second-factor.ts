import { z } from "zod";

import { resetSecondFactor as reset } from "#server/core/mailboxes/mailboxes/mailbox-passwords.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxPath } from "./mailbox-row.ts";

export const resetSecondFactor = defineEndpoint({
  method: "DELETE",
  path: "/console/api/mailboxes/{email}/second-factor",
  summary: "Remove a mailbox user's second factors and recovery codes",
  permission: "console",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  params: MailboxPath,
  response: z.object({ removed: z.literal(true) }),
  refusals: ["not_found"],
  async handle({ ctx, signedIn, params }) {
    await reset(ctx, signedIn, params.email);
    return { removed: true as const };
  },
});
