import { z } from "zod";

import { updateMailbox as update } from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxDetail, mailboxDetail } from "./mailbox-detail.ts";
import { MailboxPath } from "./mailbox-row.ts";

export const updateMailbox = defineEndpoint({
  method: "PATCH",
  path: "/console/api/mailboxes/{email}",
  summary: "Update a mailbox",
  permission: "console",
  privilege: ["update_users", "suspend_users", "reset_user_passwords"],
  admitsUnitRoles: true,
  bodyLimit: "directory",
  params: MailboxPath,
  body: z
    .object({
      name: z.string(),
      quota_mb: z.number(),
      active: z.boolean(),
      force_password_change: z.boolean(),
      org_unit_id: z.int(),
    })
    .partial(),
  response: MailboxDetail,
  refusals: ["not_found", "invalid", "mail_server_error"],
  async handle({ ctx, signedIn, params: { email }, body }) {
    const changed = await update(ctx, signedIn, email, {
      name: body.name,
      quotaMb: body.quota_mb,
      active: body.active,
      forcePasswordChange: body.force_password_change,
      orgUnitId: body.org_unit_id,
    });
    return mailboxDetail(ctx, signedIn, changed);
  },
});
