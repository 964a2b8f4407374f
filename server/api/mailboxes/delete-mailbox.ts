import { deleteMailbox as remove } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MAILBOX_NOT_FOUND, MailboxDeleted, MailboxPath } from "./mailbox-object.ts";

export const deleteMailbox = defineEndpoint({
  method: "DELETE",
  path: "/mailboxes/{email}",
  summary: "Delete a mailbox",
  description:
    "Deletes the mailbox with its mail and aliases; its addresses are free at once. Groups keep the address as a member. In the console, owners can restore it for 20 days, unless the operator changed `keep_deleted_days`.",
  permission: "full_access",
  privilege: "owner",
  params: MailboxPath,
  notFound: MAILBOX_NOT_FOUND,
  response: MailboxDeleted,
  refusals: ["not_found", "mail_server_error"],
  async handle({ ctx, params }) {
    const { address: email } = await remove(ctx, params.email);
    return { object: "mailbox" as const, email, deleted: true as const };
  },
});
