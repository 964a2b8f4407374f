import { getMailbox as get } from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MAILBOX_NOT_FOUND, MailboxObject, mailboxObject, MailboxPath } from "./mailbox-object.ts";

export const getMailbox = defineEndpoint({
  method: "GET",
  path: "/mailboxes/{email}",
  summary: "Retrieve a mailbox",
  permission: "full_access",
  privilege: "view_users",
  admitsUnitRoles: true,
  params: MailboxPath,
  notFound: MAILBOX_NOT_FOUND,
  response: MailboxObject,
  refusals: ["not_found"],
  handle: async ({ ctx, key, params }) => mailboxObject(await get(ctx, key, params.email)),
});
