import { z } from "zod";

import { invite as ask, invitationLink } from "#server/core/access/invitations/invitations.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const invite = defineEndpoint({
  method: "POST",
  path: "/console/api/invitations",
  summary: "Invite an admin by email",
  permission: "console",
  privilege: "manage_admins",
  body: z.object({
    email: z.string().max(1000),
    name: z.string().max(1000).default(""),
    is_owner: z.boolean().default(false),
    role_ids: z.array(z.uuid()).max(200).default([]),
  }),
  bodyLimit: "directory",
  response: z.object({ id: z.uuid(), link: z.string().describe("Shown once") }),
  refusals: ["invalid", "already_exists", "not_allowed", "rate_limit_exceeded"],
  async handle({ ctx, body: { email, name, is_owner: isOwner, role_ids: roleIds } }) {
    const { id, token } = await ask(ctx, { email, name, isOwner, roleIds });
    return { id, link: invitationLink(token) };
  },
});
