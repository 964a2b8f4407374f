import { z } from "zod";

import { createMailbox as create } from "#server/core/mailboxes/mailboxes/create-mailbox.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const createMailbox = defineEndpoint({
  method: "POST",
  path: "/console/api/mailboxes",
  summary: "Create a mailbox with a temporary password",
  permission: "console",
  privilege: "create_users",
  admitsUnitRoles: true,
  bodyLimit: "directory",
  body: z.object({
    email: z.string(),
    name: z.string(),
    quota_mb: z.number().optional(),
    org_unit_id: z.int().optional(),
  }),
  response: z.object({ id: z.string(), temporary_password: z.string() }),
  refusals: [
    "missing_required_field",
    "invalid",
    "account_inactive",
    "not_allowed",
    "already_exists",
    "mail_server_error",
  ],
  async handle({ ctx, signedIn, body }) {
    const { mailbox, temporaryPassword } = await create(ctx, signedIn, {
      email: body.email,
      name: body.name,
      quotaMb: body.quota_mb,
      orgUnitId: body.org_unit_id,
    });
    return { id: mailbox.address, temporary_password: temporaryPassword };
  },
});
