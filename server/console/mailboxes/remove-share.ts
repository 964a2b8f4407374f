import { z } from "zod";

import { removeShare as remove } from "#server/core/mailboxes/shares/shares.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxPath } from "./mailbox-row.ts";

export const removeShare = defineEndpoint({
  method: "DELETE",
  path: "/console/api/mailboxes/{email}/shares/{address}",
  summary: "Stop sharing a mailbox with another mailbox or a group",
  permission: "console",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  params: MailboxPath.extend({ address: z.string() }),
  response: z.object({ member: z.string() }),
  refusals: ["not_found"],
  async handle({ ctx, signedIn, params }) {
    await remove(ctx, signedIn, params.email, params.address);
    return { member: params.address };
  },
});
