import { z } from "zod";

import { createMailbox as create } from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const createMailbox = defineEndpoint({
  method: "POST",
  path: "/console/api/mailboxes",
  summary: "Create a mailbox, its aliases and group memberships",
  description:
    "Returns a temporary password, unless a private address gets a link to set one. Creates everything or nothing.",
  permission: "console",
  privilege: "create_users",
  admitsUnitRoles: true,
  bodyLimit: "directory",
  body: z.object({
    email: z.string(),
    name: z.string(),
    quota_mb: z.number().optional(),
    org_unit_id: z.int().optional(),
    aliases: z.array(z.string()).optional(),
    groups: z.array(z.string()).optional().describe("Addresses of groups to join"),
    instructions_to: z
      .string()
      .max(320)
      .optional()
      .describe("A private address that gets a link to set the password"),
  }),
  response: z.object({
    id: z.string(),
    temporary_password: z.string().nullable().describe("Null if instructions were sent"),
  }),
  refusals: [
    "missing_required_field",
    "invalid",
    "account_inactive",
    "not_allowed",
    "already_exists",
    "rate_limit_exceeded",
    "mail_server_error",
  ],
  async handle({ ctx, signedIn, body }) {
    const to = body.instructions_to;
    const { mailbox, temporaryPassword } = await create(ctx, signedIn, {
      email: body.email,
      name: body.name,
      quotaMb: body.quota_mb,
      orgUnitId: body.org_unit_id,
      aliases: body.aliases,
      groups: body.groups,
      instructions: to === undefined ? undefined : { to, sentBy: signedIn.email },
    });
    return {
      id: mailbox.address,
      temporary_password: to === undefined ? temporaryPassword : null,
    };
  },
});
