import { z } from "zod";

import { DeletedId } from "#server/console/deleted-items/deleted-row.ts";
import { deleteMailbox as remove } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxPath } from "./mailbox-row.ts";

export const deleteMailbox = defineEndpoint({
  method: "DELETE",
  path: "/console/api/mailboxes/{email}",
  summary: "Delete a mailbox, which can be restored for a while",
  permission: "console",
  privilege: "owner",
  params: MailboxPath,
  response: z.object({ id: z.string(), deleted_id: DeletedId }),
  refusals: ["not_found", "mail_server_error"],
  async handle({ ctx, params }) {
    const { address: id, deletedId } = await remove(ctx, params.email);
    return { id, deleted_id: deletedId };
  },
});
