import { z } from "zod";

import { deleteMailbox as remove } from "#server/core/mailboxes/mailboxes/delete-mailbox.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxPath } from "./mailbox-row.ts";

export const deleteMailbox = defineEndpoint({
  method: "DELETE",
  path: "/console/api/mailboxes/{email}",
  summary: "Delete a mailbox with its mail and aliases",
  permission: "console",
  privilege: "owner",
  params: MailboxPath,
  response: z.object({ id: z.string() }),
  refusals: ["not_found", "mail_server_error"],
  handle: async ({ ctx, params }) => ({ id: await remove(ctx, params.email) }),
});
