import { z } from "zod";

import { unlinkMailbox as unlink } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxPath } from "./mailbox-row.ts";

export const unlinkMailbox = defineEndpoint({
  method: "DELETE",
  path: "/console/api/mailboxes/{email}/single-sign-on",
  summary: "Unlink a mailbox from its account at the identity provider",
  permission: "console",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  params: MailboxPath,
  response: z.object({ unlinked: z.literal(true) }),
  refusals: ["not_found"],
  async handle({ ctx, signedIn, params }) {
    await unlink(ctx, signedIn, params.email);
    return { unlinked: true as const };
  },
});
