import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxHost, mailboxHost, MailboxHostPath } from "./mailbox-host.ts";

export const getMailboxHost = defineEndpoint({
  method: "GET",
  path: "/console/api/operate/mailboxes/{email}/mail-host",
  summary: "Retrieve the mail host that stores a mailbox",
  permission: "operator",
  privilege: null,
  params: MailboxHostPath,
  response: MailboxHost,
  refusals: ["not_found"],
  handle: ({ ctx, params }) => mailboxHost(ctx, params.email),
});
