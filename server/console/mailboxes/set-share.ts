import { z } from "zod";

import { setShare as set } from "#server/core/mailboxes/shares/shares.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxPath } from "./mailbox-row.ts";

export const setShare = defineEndpoint({
  method: "POST",
  path: "/console/api/mailboxes/{email}/shares",
  summary: "Share a mailbox with another mailbox or a group, or change how it is shared",
  permission: "console",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  params: MailboxPath,
  body: z.object({
    member: z.string(),
    access: z.enum(["read", "write"]),
    send_as: z.boolean(),
  }),
  response: z.object({ member: z.string() }),
  refusals: ["missing_required_field", "invalid", "not_found", "not_allowed", "mail_server_error"],
  async handle({ ctx, signedIn, params, body }) {
    const { access, send_as: sendAs } = body;
    const share = await set(ctx, signedIn, params.email, { member: body.member, access, sendAs });
    return { member: share.member };
  },
});
