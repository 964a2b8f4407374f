import { z } from "zod";

import { updateMailbox as update } from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Name, QuotaMb } from "./mailbox-fields.ts";
import { MAILBOX_NOT_FOUND, MailboxObject, mailboxObject, MailboxPath } from "./mailbox-object.ts";

export const updateMailbox = defineEndpoint({
  method: "PATCH",
  path: "/mailboxes/{email}",
  summary: "Update a mailbox",
  description:
    "Changes the fields you provide. Each field requires its own privilege: `name` and `quota_mb` require `update_users`, `active` requires `suspend_users`, `force_password_change` requires `reset_user_passwords`. If one is missing, nothing changes. Suspending a mailbox or forcing a password change ends the user's sessions.",
  permission: "full_access",
  privilege: ["update_users", "suspend_users", "reset_user_passwords"],
  admitsUnitRoles: true,
  bodyLimit: "directory",
  params: MailboxPath,
  notFound: MAILBOX_NOT_FOUND,
  body: z
    .object({
      name: Name.optional().describe("Display name"),
      quota_mb: QuotaMb.optional().describe(
        "Mailbox size in MB. Capped at the plan's mailbox size",
      ),
      active: z.boolean().optional().describe("`false` suspends the mailbox, `true` restores it"),
      force_password_change: z
        .boolean()
        .optional()
        .describe("Whether the user must set a new password at the next sign-in"),
    })
    .refine((change) => Object.values<unknown>(change).some((value) => value !== undefined), {
      error: "Provide at least one of name, quota_mb, active and force_password_change",
    }),
  response: MailboxObject,
  refusals: ["not_found", "invalid", "payload_too_large", "mail_server_error"],
  handle: async ({ ctx, key, params, body }) =>
    mailboxObject(
      await update(ctx, key, params.email, {
        name: body.name,
        quotaMb: body.quota_mb,
        active: body.active,
        forcePasswordChange: body.force_password_change,
      }),
    ),
});
