import { z } from "zod";

import { currentOperator } from "#server/console/operate/current-operator.ts";
import { requestMove } from "#server/core/mailboxes/mail-hosts/moves.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxHost, mailboxHost, MailboxHostPath } from "./mailbox-host.ts";

export const changeMailboxHost = defineEndpoint({
  method: "POST",
  path: "/console/api/operate/mailboxes/{email}/mail-host",
  summary: "Move a mailbox to another mail host. To cancel a move, name its current host",
  permission: "operator",
  privilege: null,
  params: MailboxHostPath,
  body: z.object({ mail_host: z.string() }),
  response: MailboxHost,
  refusals: ["not_found", "invalid"],
  async handle(call) {
    const { db, email } = currentOperator(call);
    const actor = { kind: "operator", email } as const;
    await requestMove({ db, actor }, call.params.email, call.body.mail_host);
    return mailboxHost(call.ctx, call.params.email);
  },
});
