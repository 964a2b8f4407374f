import { getMailbox as get } from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxDetail, mailboxDetail } from "./mailbox-detail.ts";
import { MailboxPath } from "./mailbox-row.ts";

export const getMailbox = defineEndpoint({
  method: "GET",
  path: "/console/api/mailboxes/{email}",
  summary: "Retrieve a mailbox",
  permission: "console",
  privilege: "view_users",
  admitsUnitRoles: true,
  params: MailboxPath,
  response: MailboxDetail,
  refusals: ["not_found"],
  handle: async ({ ctx, signedIn, params }) =>
    mailboxDetail(ctx, signedIn, await get(ctx, signedIn, params.email)),
});
