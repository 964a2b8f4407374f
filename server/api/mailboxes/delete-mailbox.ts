import { deleteMailbox as remove } from "#server/core/mailboxes/mailboxes/delete-mailbox.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MAILBOX_NOT_FOUND, MailboxDeleted, MailboxPath } from "./mailbox-object.ts";

export const deleteMailbox = defineEndpoint({
  method: "DELETE",
  path: "/mailboxes/{email}",
  summary: "Delete a mailbox",
  description:
    "Permanently deletes the mailbox with its mail and aliases. Groups keep the address as a member.",
  permission: "full_access",
  privilege: "owner",
  params: MailboxPath,
  notFound: MAILBOX_NOT_FOUND,
  response: MailboxDeleted,
  refusals: ["not_found", "mail_server_error"],
  async handle({ ctx, params }) {
    const email = await remove(ctx, params.email);
    return { object: "mailbox" as const, email, deleted: true as const };
  },
});
