import { z } from "zod";

import { withdrawInvitation as withdraw } from "#server/core/access/invitations/invitations.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { InvitationPath, NOT_FOUND } from "./resend-invitation.ts";

export const withdrawInvitation = defineEndpoint({
  method: "DELETE",
  path: "/console/api/invitations/{id}",
  summary: "Withdraw an invitation",
  permission: "console",
  privilege: "manage_admins",
  params: InvitationPath,
  notFound: NOT_FOUND,
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found"],
  async handle({ ctx, params: { id } }) {
    await withdraw(ctx, id);
    return { id };
  },
});
