import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { listInvitations as list } from "#server/core/access/invitations/invitations.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const listInvitations = defineEndpoint({
  method: "GET",
  path: "/console/api/invitations",
  summary: "List pending invitations by address",
  permission: "console",
  privilege: "manage_admins",
  response: z.object({
    data: z.array(
      z.object({
        id: z.uuid(),
        email: z.string(),
        name: z.string(),
        is_owner: z.boolean(),
        roles: z.array(z.string()),
        invited_by: z.string(),
        created_at: z.string(),
        expires_at: z.string(),
        is_expired: z.boolean(),
      }),
    ),
  }),
  refusals: [],
  async handle({ ctx }) {
    const found = await list(ctx);
    return {
      data: found.map(({ isOwner, invitedBy, createdAt, expiresAt, isExpired, ...rest }) => ({
        ...rest,
        is_owner: isOwner,
        invited_by: invitedBy,
        created_at: consoleTimestamp(createdAt),
        expires_at: consoleTimestamp(expiresAt),
        is_expired: isExpired,
      })),
    };
  },
});
