import { z } from "zod";

import { removeAlias as remove } from "#server/core/mailboxes/mailboxes/aliases.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxPath } from "./mailbox-row.ts";

export const removeAlias = defineEndpoint({
  method: "DELETE",
  path: "/console/api/mailboxes/{email}/aliases/{address}",
  summary: "Remove an alias from a mailbox",
  permission: "console",
  privilege: "update_users",
  admitsUnitRoles: true,
  params: MailboxPath.extend({ address: z.string() }),
  response: z.object({ address: z.string() }),
  refusals: ["not_found", "mail_server_error"],
  async handle({ ctx, signedIn, params }) {
    const { address } = await remove(ctx, signedIn, params.email, params.address);
    return { address };
  },
});
