import { z } from "zod";

import {
  invitationLink,
  resendInvitation as resend,
} from "#server/core/access/invitations/invitations.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const NOT_FOUND = "Invitation not found. It may have been accepted or withdrawn";
export const InvitationPath = z.object({ id: z.uuid() });

export const resendInvitation = defineEndpoint({
  method: "POST",
  path: "/console/api/invitations/{id}/resend",
  summary: "Resend an invitation with a new link",
  permission: "console",
  privilege: "manage_admins",
  params: InvitationPath,
  notFound: NOT_FOUND,
  response: z.object({ link: z.string().describe("Shown once") }),
  refusals: ["not_found", "invalid", "not_allowed", "rate_limit_exceeded"],
  async handle({ ctx, params: { id } }) {
    const { token } = await resend(ctx, id);
    return { link: invitationLink(token) };
  },
});
