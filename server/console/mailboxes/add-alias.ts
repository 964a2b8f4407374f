import { z } from "zod";

import { addAlias as add } from "#server/core/mailboxes/mailboxes/aliases.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxPath } from "./mailbox-row.ts";

export const addAlias = defineEndpoint({
  method: "POST",
  path: "/console/api/mailboxes/{email}/aliases",
  summary: "Add an alias to a mailbox",
  permission: "console",
  privilege: "update_users",
  admitsUnitRoles: true,
  bodyLimit: "directory",
  params: MailboxPath,
  body: z.object({ address: z.string() }),
  response: z.object({ address: z.string() }),
  refusals: [
    "missing_required_field",
    "invalid",
    "not_found",
    "already_exists",
    "mail_server_error",
  ],
  async handle({ ctx, signedIn, params, body }) {
    const { address } = await add(ctx, signedIn, params.email, body.address);
    return { address };
  },
});
